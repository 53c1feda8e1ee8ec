// Command probe is the workload of the end-to-end tests: it answers who it is, what a name resolves to, what another
// server says, what a folder has, and how often it was asked to write to its volume, which it can also fill. With
// arguments it prints these and ends.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	volume  = "/data/lines"
	ballast = "/data/ballast"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Println(strings.Join(os.Args[1:], " "))
		return
	}
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		name, err := os.Hostname()
		answer(w, name, err)
	})
	http.HandleFunc("/resolve", func(w http.ResponseWriter, r *http.Request) {
		addresses, err := net.DefaultResolver.LookupHost(r.Context(), r.URL.Query().Get("name"))
		answer(w, strings.Join(addresses, " "), err)
	})
	http.HandleFunc("/get", func(w http.ResponseWriter, r *http.Request) {
		text, err := get(r.URL.Query().Get("url"))
		answer(w, text, err)
	})
	http.HandleFunc("/list", func(w http.ResponseWriter, r *http.Request) {
		text, err := list(r.URL.Query().Get("folder"))
		answer(w, text, err)
	})
	http.HandleFunc("/write", func(w http.ResponseWriter, _ *http.Request) {
		text, err := write()
		answer(w, text, err)
	})
	http.HandleFunc("/fill", func(w http.ResponseWriter, r *http.Request) {
		text, err := fill(r.URL.Query().Get("bytes"))
		answer(w, text, err)
	})
	fmt.Println("serving")
	fmt.Fprintln(os.Stderr, http.ListenAndServe(":8080", nil))
	os.Exit(1)
}

func answer(w http.ResponseWriter, text string, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	fmt.Fprint(w, text)
}

func get(url string) (string, error) {
	client := http.Client{Timeout: 3 * time.Second}
	response, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	return string(content), err
}

func list(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " "), err
}

func write() (string, error) {
	file, err := os.OpenFile(volume, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintln(file, "line")
	if err := file.Close(); err != nil {
		return "", err
	}
	if err != nil {
		return "", err
	}
	content, err := os.ReadFile(volume)
	return fmt.Sprint(strings.Count(string(content), "\n")), err
}

func fill(bytes string) (string, error) {
	size, err := strconv.Atoi(bytes)
	if err != nil {
		return "", err
	}
	return bytes, os.WriteFile(ballast, make([]byte, size), 0o600)
}

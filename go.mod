module stackwright.dev/stackwright

go 1.26.0

require stackwright.dev/kit v0.0.0

replace stackwright.dev/kit => ./kit

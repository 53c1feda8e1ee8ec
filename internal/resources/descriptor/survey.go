package descriptor

// Survey is a list that shows something of all resources of a kind of which each list is of one parent. It stands in
// for those lists only as far as it tells that nothing has changed: a parent of which it shows the same as before is
// not listed again, and one that it does not show is listed as if there were no survey.
type Survey struct {
	// Service when it is not that of the kind, and Path of the list, with a query.
	Service, Path string
	// AllProjects is as in List, Since the microversion that shows all that is needed.
	AllProjects, Since string
	// Items is the envelope of the list, and Parent the path of the parent's id in an entry.
	Items, Parent string
	// Shows are paths in an entry: what is there differs whenever something below the parent was made, changed or deleted.
	// An entry that has nothing at the first of them does not tell. None is the whole entry.
	Shows []string
}

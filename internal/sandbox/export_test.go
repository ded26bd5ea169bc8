package sandbox

// View is what a command sees, for the test of the arguments that are made of it.
type View struct {
	Dir                                           string
	Network                                       bool
	Private, Write, Held, Folders, Files, Showing []string
}

// Arguments are those of bwrap.
func (v View) Arguments() []string {
	return view{
		dir: v.Dir, network: v.Network, private: v.Private, write: v.Write, held: v.Held,
		folders: v.Folders, files: v.Files, shown: v.Showing,
	}.arguments()
}

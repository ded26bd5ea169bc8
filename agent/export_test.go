package agent

// MaxKept is maxKept.
const MaxKept = maxKept

// Kept returns how many bytes of events a runtime's agents keep.
func Kept(r *Runtime) int {
	r.conversations.mu.Lock()
	defer r.conversations.mu.Unlock()
	return r.conversations.bytes
}

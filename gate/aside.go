package gate

// Aside runs what takes much stack in a goroutine of its own, waits for it, and passes on a panic: the stack goes with
// it, whereas the caller may be about to wait for people for hours.
func Aside(run func() error) error {
	var err error
	var fault any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { fault = recover() }()
		err = run()
	}()
	<-done
	if fault != nil {
		panic(fault)
	}
	return err
}

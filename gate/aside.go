package gate

// Aside runs a function in a goroutine of its own and waits for it. The stack that the function needs is freed with
// that goroutine: the caller may go on to wait for a person for hours, and its own stack stays small. A panic is passed on.
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

// Package mask decides what a person is shown of text that a program made:
// characters that can't be seen, or that reorder what stands around them, are
// written out, so that what is read is what will run.
package mask

// Package mask decides what a person is shown of text that a program made.
//
// Hidden writes out characters that can't be seen, or that reorder what stands
// around them; Mixed points out words that look like others, and names keep one
// alphabet (IsToolName, IsIdentifier, Skeleton): what is read is
// what will run. Secrets takes out passwords and keys: what is shown can be
// looked at by anyone, and what runs has them.
package mask

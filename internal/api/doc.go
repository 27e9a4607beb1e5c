// Package api keeps the exported API under watch. It consists of tests alone.
//
// current.txt lists every exported name of the packages that others import, with
// its declaration; released.txt is the same at the last release. The test fails
// if current.txt is not what the source says, and if a declaration that is new,
// changed or gone since the release is not named in the Unreleased section of
// CHANGELOG.md. So no change of the API goes unnoticed, or unannounced.
//
// After a change: go test ./internal/api -rewrite, read the diff, and say in the
// changelog what users will notice. A release copies current.txt to released.txt.
package api

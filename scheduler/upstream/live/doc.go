// Package live tests the scheduler as it is run: as a process, on a real API
// server and a real etcd. ../run live builds what it needs and runs it.
package live

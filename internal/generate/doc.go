// Package generate makes random golden cases from a seed.
//
// The cases cover everything that this library models, in families that each
// stress one part of it and one, "mixed", that lets the parts meet. They come
// without answers: a judge gives those. The same seed and family give the same
// case, on every machine.
//
// Amounts, priorities and labels come from small pools, so that pods collide,
// sums tie and nodes are just full or just not: wide ranges would make almost
// every comparison an easy one.
package generate

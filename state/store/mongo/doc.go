// Package mongo keeps a store in a MongoDB database that many processes share.
package mongo

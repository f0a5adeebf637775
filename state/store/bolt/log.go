package bolt

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
)

// logFile is store.log: what was committed since store.db was last written. Only who leads the queue
// uses it.
type logFile struct {
	path   string
	exists bool // it is on disk, with a header
	size   atomic.Int64
	syncs  atomic.Int64
	length int64 // of the file, with the zeros behind size

	// file is nil until the first commit, and again after an error: then what stands behind size is not
	// known, and it is cut off before anything is appended.
	file *os.File
}

// openLog reads the log beside store.db and returns what store.db lacks. It writes nothing.
func openLog(path string, h header) (*logFile, []commit, error) {
	l := &logFile{path: path}
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && h.logged:
		return nil, nil, damaged("it is missing, or store.db is older than it should be; the last commits are not there")
	case errors.Is(err, os.ErrNotExist):
		return l, nil, nil
	case err != nil:
		return nil, nil, err
	}
	content, err := parseLog(b)
	if errors.Is(err, errNoLog) && !h.logged {
		return l, nil, nil // the process ended while it made the log
	}
	if err != nil {
		return nil, nil, err
	}
	commits, begin := content.commits, content.first
	if len(commits) > 0 {
		begin = commits[0].number // later than what the header says, if the log was just being emptied
	}
	if begin > h.applied+1 {
		return nil, nil, damaged("it begins with commit %d, but store.db ends with commit %d and is older than it should be", begin, h.applied)
	}
	for len(commits) > 0 && commits[0].number <= h.applied {
		commits = commits[1:]
	}
	for i, c := range commits {
		if c.number != h.applied+1+uint64(i) {
			return nil, nil, damaged("commit %d is missing", h.applied+1+uint64(i))
		}
	}
	l.exists = true
	l.size.Store(content.size)
	return l, commits, nil
}

// append makes one commit durable: one write, one sync. After an error the outcome is not known, until
// the next append, which first removes what was not acknowledged.
func (l *logFile) append(entry []byte) error {
	if err := l.ready(); err != nil {
		return err
	}
	l.reserve(l.size.Load() + int64(len(entry)))
	_, err := l.file.WriteAt(entry, l.size.Load())
	if err == nil {
		err = l.sync()
	}
	if err != nil {
		return l.giveUp(err)
	}
	l.size.Add(int64(len(entry)))
	return nil
}

// reserve makes the file longer by a stretch of zeros when an entry will end behind its end. A file that does not grow is
// synced in two thirds of the time: the file system need not write down its length each time. On a disk that has no room
// for that the entry is appended, as far as it fits.
func (l *logFile) reserve(end int64) {
	const stretch = 256 << 10
	if end <= l.length {
		return
	}
	l.length = end
	if _, err := l.file.WriteAt(make([]byte, stretch), end); err == nil {
		l.length += stretch
	}
}

// ready opens the log, if need be, and cuts off what stands behind its last acknowledged commit.
func (l *logFile) ready() error {
	if l.file != nil {
		return nil
	}
	f, err := os.OpenFile(l.path, os.O_RDWR|noFollow, 0o600)
	if err != nil {
		return err
	}
	l.file = f
	l.length = l.size.Load()
	err = f.Truncate(l.length)
	if err == nil {
		err = l.sync()
	}
	if err != nil {
		return l.giveUp(err)
	}
	return nil
}

// create makes an empty log that begins with commit number first, durably.
func (l *logFile) create(first uint64) error {
	f, err := createFile(l.path)
	if err != nil {
		return err
	}
	l.file = f
	_, err = f.Write(encodeLogHeader(first))
	if err == nil {
		err = l.sync()
	}
	if err == nil {
		l.syncs.Add(1)
		err = syncDir(filepath.Dir(l.path))
	}
	if err != nil {
		return l.giveUp(err)
	}
	l.exists = true
	l.size.Store(int64(logHeaderSize))
	l.length = int64(logHeaderSize)
	return nil
}

// restart empties the log, all of which is in store.db now. It need not be durable: a log that still
// holds the old commits is as good, they are skipped.
func (l *logFile) restart(first uint64) {
	l.size.Store(int64(logHeaderSize))
	l.length = int64(logHeaderSize)
	if l.file == nil {
		return
	}
	err := l.file.Truncate(int64(logHeaderSize))
	if err == nil {
		_, err = l.file.WriteAt(encodeLogHeader(first), 0)
	}
	if err != nil {
		_ = l.giveUp(err) // the next append cuts it again
	}
}

// remove deletes the log, all of which is in store.db, which knows that there is none.
func (l *logFile) remove() error {
	err := l.close()
	if l.exists {
		l.exists = false
		err = errors.Join(err, os.Remove(l.path))
	}
	return err
}

func (l *logFile) close() error {
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	return f.Close()
}

// giveUp closes the file after an error, which it returns.
func (l *logFile) giveUp(err error) error {
	_ = l.close() // the first error says what happened
	return err
}

func (l *logFile) sync() error {
	l.syncs.Add(1)
	return datasync(l.file)
}

// syncDir makes the names in a folder durable, where the system can do that and has to.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

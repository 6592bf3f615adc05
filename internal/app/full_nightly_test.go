//go:build nightly && linux

package app

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSmallVolume serves from a volume of 8 MB, which needs root: the service fills it until
// nothing more can be stored, and recovers by itself once another program frees space.
func TestSmallVolume(t *testing.T) {
	t.Parallel()
	folder, log := t.TempDir(), new(safeBuffer)
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=8m"); err != nil {
		t.Fatalf("mounting a small volume: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(folder, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	c := config(filepath.Join(folder, "data"))
	c.AdminListen, c.Log = "127.0.0.1:0", log
	ready, admin, ended := make(chan string, 1), make(chan string, 1), make(chan error, 1)
	c.Ready, c.ReadyAdmin = func(address string) { ready <- address }, func(address string) { admin <- address }
	ctx, stop := context.WithCancel(t.Context())
	go func() { ended <- Serve(ctx, c) }()
	operators, url := "http://"+<-admin, "http://"+<-ready
	// Other programs fill the rest of the volume.
	guests := 0
	status, body := 0, ""
	for ; guests < 20_000; guests++ {
		if status, body = call(t, "POST", url+"/api/guest"); status != http.StatusOK {
			break
		}
	}
	if status != http.StatusServiceUnavailable || !strings.Contains(body, `"storage_full"`) {
		t.Fatalf("after %d guests: %d %s", guests, status, body)
	}
	t.Logf("%d guests fit", guests)
	if status, body := call(t, "GET", operators+"/readyz"); status != 503 || !strings.Contains(body, "disk is full") {
		t.Errorf("without room: %d %s", status, body)
	}
	for range 200 {
		call(t, "POST", url+"/api/guest")
	}
	data, err := os.Stat(filepath.Join(c.Data, databaseFile))
	if err != nil {
		t.Fatal(err)
	}
	wal, err := os.Stat(filepath.Join(c.Data, databaseFile+"-wal"))
	if err != nil || wal.Size() > data.Size() {
		t.Errorf("the write-ahead log has %d bytes for %d of data (%v)", wal.Size(), data.Size(), err)
	}
	if n := strings.Count(log.String(), "level=ERROR") + strings.Count(log.String(), "level=WARN"); n > 2 {
		t.Errorf("%d log lines report the fault:\n%.3000s", n, log)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	for {
		if status, _ := call(t, "GET", operators+"/readyz"); status == 200 {
			break
		}
		<-time.After(10 * time.Millisecond)
	}
	if status, body := call(t, "POST", url+"/api/guest"); status != 200 {
		t.Errorf("with room again: %d %s", status, body)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the service ended with %v", err)
	}
}

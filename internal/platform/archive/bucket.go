package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const (
	bucketScheme = "s3://"
	// defaultEndpoint is the endpoint of AWS, which the variables below replace.
	defaultEndpoint = "https://s3.amazonaws.com"
	// minPart is the smallest part of an upload, in bytes. One part is in memory at a time.
	minPart = 16 << 20
	// mostParts is how many parts an upload may have, with room for a file larger than announced.
	mostParts = 9000
)

// bucket is a place in an S3 bucket. Its credentials, region and endpoint come from the environment, as for other
// clients of S3: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_ENDPOINT_URL_S3.
type bucket struct {
	client *minio.Client
	name   string
	prefix string // "" or with a slash at its end
}

// newBucket returns the bucket of s3://bucket/prefix. Its errors repeat neither text, which may contain a password.
func newBucket(to string) (*bucket, error) {
	u, err := url.Parse(to)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the place is not like s3://bucket/prefix")
	}
	b := &bucket{name: u.Host}
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		b.prefix = prefix + "/"
	}
	address := cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), defaultEndpoint)
	endpoint, err := url.Parse(address)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" ||
		strings.Trim(endpoint.Path, "/") != "" || endpoint.User != nil {
		return nil, errors.New("the endpoint of S3 (AWS_ENDPOINT_URL_S3) is not like https://s3.example.org")
	}
	if os.Getenv("AWS_ACCESS_KEY_ID") == "" || os.Getenv("AWS_SECRET_ACCESS_KEY") == "" {
		return nil, errors.New("AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is missing in the environment")
	}
	b.client, err = minio.New(endpoint.Host, &minio.Options{
		Creds: credentials.NewEnvAWS(), Secure: endpoint.Scheme == "https",
		Region: cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")),
	})
	return b, err
}

// list implements place. Objects below a further slash belong to others.
func (b *bucket) list(ctx context.Context) (list []object, err error) {
	for o := range b.client.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix}) {
		if o.Err != nil {
			return nil, fmt.Errorf("list %s%s/%s: %w", bucketScheme, b.name, b.prefix, o.Err)
		}
		if name := strings.TrimPrefix(o.Key, b.prefix); name != "" && !strings.Contains(name, "/") {
			list = append(list, object{name, o.Size})
		}
	}
	return list, ctx.Err()
}

func (b *bucket) read(ctx context.Context, name string) (io.ReadCloser, error) {
	o, err := b.client.GetObject(ctx, b.name, b.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	return missing{o}, nil
}

// missing is an object that may not exist, which S3 reports with the first read.
type missing struct{ *minio.Object }

// Read implements io.Reader. Errors: fs.ErrNotExist.
func (m missing) Read(p []byte) (int, error) {
	n, err := m.Object.Read(p)
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		err = fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return n, err
}

// write uploads in parts. The object appears when S3 is told that the upload is complete; a crash before leaves
// parts, which are no object.
func (b *bucket) write(ctx context.Context, name string, size int64, write func(io.Writer) error) error {
	r, w := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := write(w)
		written <- err
		if err != nil { // wrapped: a plain io.EOF would end the upload as complete
			err = fmt.Errorf("archive: %w", err)
		}
		_ = w.CloseWithError(err) // always nil
	}()
	_, err := b.client.PutObject(ctx, b.name, b.prefix+name, r, -1, minio.PutObjectOptions{
		PartSize: partSize(size), ContentType: "application/octet-stream",
		// S3 checks every part. Newer checksums are not understood by every server of S3.
		SendContentMd5: true})
	_ = r.CloseWithError(cmp.Or(err, io.ErrClosedPipe)) // always nil; write ends if it has not
	if errWrite := <-written; errWrite != nil {
		return errors.Join(err, errWrite)
	}
	return err
}

// partSize returns the size of the parts of an upload of about size bytes.
func partSize(size int64) uint64 {
	const step = 1 << 20
	return uint64(max(minPart, (size/mostParts+step)/step*step))
}

func (b *bucket) remove(ctx context.Context, name string) error {
	return b.client.RemoveObject(ctx, b.name, b.prefix+name, minio.RemoveObjectOptions{})
}

// sweep implements place: it aborts uploads that a crash has left, whose parts cost storage and are not listed.
func (b *bucket) sweep(ctx context.Context, own func(string) bool) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop() // ends the listing
	for u := range b.client.ListIncompleteUploads(ctx, b.name, b.prefix, false) {
		if u.Err != nil {
			return u.Err
		}
		if own(strings.TrimPrefix(u.Key, b.prefix)) {
			err = errors.Join(err, b.client.RemoveIncompleteUpload(ctx, b.name, u.Key))
		}
	}
	return err
}

package milvus_test

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/milvus-io/milvus-proto/go-api/v2/commonpb"
	"github.com/milvus-io/milvus-proto/go-api/v2/milvuspb"
	"github.com/milvus-io/milvus-proto/go-api/v2/schemapb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/milvus"
)

// fake is a server in this process that answers as it is told and remembers what it was asked. It keeps collections and
// aliases, but no rows.
type fake struct {
	milvuspb.UnimplementedMilvusServiceServer

	mu          sync.Mutex
	listener    *bufconn.Listener
	collections map[string]*milvuspb.CreateCollectionRequest
	aliases     map[string]string
	loaded      map[string]bool
	seen        []call
	on          map[string]func(n int) (proto.Message, error) // by name of the method; n counts from 1; nil, nil = as usual
	counts      map[string]int
	paused      []time.Duration
}

// call is a request the fake saw.
type call struct {
	method  string
	request proto.Message
	header  metadata.MD
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{
		listener: bufconn.Listen(1 << 20), collections: map[string]*milvuspb.CreateCollectionRequest{}, aliases: map[string]string{}, loaded: map[string]bool{},
		on: map[string]func(int) (proto.Message, error){}, counts: map[string]int{},
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(f.intercept), grpc.MaxRecvMsgSize(64<<20))
	milvuspb.RegisterMilvusServiceServer(server, f)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(f.listener)
	}()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
	return f
}

// intercept remembers a request, and answers it in its stead when told to.
func (f *fake) intercept(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	method := info.FullMethod[strings.LastIndex(info.FullMethod, "/")+1:]
	header, _ := metadata.FromIncomingContext(ctx)
	f.mu.Lock()
	f.counts[method]++
	n, on := f.counts[method], f.on[method]
	if message, ok := request.(proto.Message); ok {
		f.seen = append(f.seen, call{method, message, header})
	}
	f.mu.Unlock()
	if on != nil {
		if answer, err := on(n); answer != nil || err != nil {
			return answer, err
		}
	}
	return handle(ctx, request)
}

// config is for a shelf that talks to the fake, whose pauses are noted and not waited for.
func (f *fake) config() milvus.Config {
	return milvus.Config{
		Address: "passthrough:1",
		Dial:    func(ctx context.Context, _ string) (net.Conn, error) { return f.listener.DialContext(ctx) },
		Jitter:  func() float64 { return 0.5 },
		Sleep: func(ctx context.Context, d time.Duration) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.paused = append(f.paused, d)
			return ctx.Err()
		},
	}
}

func (f *fake) open(t *testing.T) (*milvus.Shelf, index.Vectors) {
	t.Helper()
	shelf, err := milvus.Open(t.Context(), f.config())
	must(t, err)
	t.Cleanup(func() { _ = shelf.Close() })
	return shelf, openSpace(t, shelf, plane())
}

// answer has the fake answer a method in another way from now on.
func (f *fake) answer(method string, how func(n int) (proto.Message, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on[method], f.counts[method], f.paused = how, 0, nil
}

// requests are those of one method, in order.
func requests[T proto.Message](f *fake, method string) []T {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []T
	for _, c := range f.seen {
		if r, ok := c.request.(T); ok && c.method == method {
			found = append(found, r)
		}
	}
	return found
}

func (f *fake) pauses() []time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.paused)
}

func failed(code int32, reason string) *commonpb.Status {
	return &commonpb.Status{Code: code, Reason: reason}
}

func (f *fake) GetVersion(context.Context, *milvuspb.GetVersionRequest) (*milvuspb.GetVersionResponse, error) {
	return &milvuspb.GetVersionResponse{Status: &commonpb.Status{}, Version: "v2.6.5"}, nil
}

func (f *fake) DescribeCollection(_ context.Context, r *milvuspb.DescribeCollectionRequest) (*milvuspb.DescribeCollectionResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	made, ok := f.collections[cmp.Or(f.aliases[r.GetCollectionName()], r.GetCollectionName())]
	if !ok {
		return &milvuspb.DescribeCollectionResponse{Status: failed(100, "collection not found")}, nil
	}
	schema := &schemapb.CollectionSchema{}
	if err := proto.Unmarshal(made.GetSchema(), schema); err != nil {
		return nil, err
	}
	return &milvuspb.DescribeCollectionResponse{Status: &commonpb.Status{}, Schema: schema, CollectionName: made.GetCollectionName(), Properties: made.GetProperties()}, nil
}

func (f *fake) CreateCollection(_ context.Context, r *milvuspb.CreateCollectionRequest) (*commonpb.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.collections[r.GetCollectionName()] != nil {
		return failed(1, "collection already exists"), nil
	}
	f.collections[r.GetCollectionName()] = r
	return &commonpb.Status{}, nil
}

func (f *fake) ShowCollections(context.Context, *milvuspb.ShowCollectionsRequest) (*milvuspb.ShowCollectionsResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &milvuspb.ShowCollectionsResponse{Status: &commonpb.Status{}, CollectionNames: slices.Sorted(maps.Keys(f.collections))}, nil
}

func (f *fake) DropCollection(_ context.Context, r *milvuspb.DropCollectionRequest) (*commonpb.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.collections, r.GetCollectionName())
	return &commonpb.Status{}, nil
}

func (f *fake) DescribeIndex(context.Context, *milvuspb.DescribeIndexRequest) (*milvuspb.DescribeIndexResponse, error) {
	return &milvuspb.DescribeIndexResponse{Status: failed(700, "index not found")}, nil
}

func (f *fake) CreateIndex(context.Context, *milvuspb.CreateIndexRequest) (*commonpb.Status, error) {
	return &commonpb.Status{}, nil
}

func (f *fake) GetLoadState(_ context.Context, r *milvuspb.GetLoadStateRequest) (*milvuspb.GetLoadStateResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	answer := &milvuspb.GetLoadStateResponse{Status: &commonpb.Status{}, State: commonpb.LoadState_LoadStateNotLoad}
	if f.loaded[r.GetCollectionName()] {
		answer.State = commonpb.LoadState_LoadStateLoaded
	}
	return answer, nil
}

func (f *fake) LoadCollection(_ context.Context, r *milvuspb.LoadCollectionRequest) (*commonpb.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.loaded[r.GetCollectionName()] = true
	return &commonpb.Status{}, nil
}

func (f *fake) CreateAlias(_ context.Context, r *milvuspb.CreateAliasRequest) (*commonpb.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.aliases[r.GetAlias()]; ok {
		return failed(1602, "alias already exists"), nil
	}
	f.aliases[r.GetAlias()] = r.GetCollectionName()
	return &commonpb.Status{}, nil
}

func (f *fake) AlterAlias(_ context.Context, r *milvuspb.AlterAliasRequest) (*commonpb.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.aliases[r.GetAlias()] = r.GetCollectionName()
	return &commonpb.Status{}, nil
}

func (f *fake) Upsert(_ context.Context, r *milvuspb.UpsertRequest) (*milvuspb.MutationResult, error) {
	return &milvuspb.MutationResult{Status: &commonpb.Status{}, IDs: keys(make([]string, r.GetNumRows())...), UpsertCnt: int64(r.GetNumRows())}, nil
}

func (f *fake) Delete(context.Context, *milvuspb.DeleteRequest) (*milvuspb.MutationResult, error) {
	return &milvuspb.MutationResult{Status: &commonpb.Status{}}, nil
}

func (f *fake) Search(context.Context, *milvuspb.SearchRequest) (*milvuspb.SearchResults, error) {
	return &milvuspb.SearchResults{Status: &commonpb.Status{}, Results: &schemapb.SearchResultData{NumQueries: 1, Topks: []int64{0}}}, nil
}

func (f *fake) Query(context.Context, *milvuspb.QueryRequest) (*milvuspb.QueryResults, error) {
	return &milvuspb.QueryResults{Status: &commonpb.Status{}}, nil
}

func keys(of ...string) *schemapb.IDs {
	return &schemapb.IDs{IdField: &schemapb.IDs_StrId{StrId: &schemapb.StringArray{Data: of}}}
}

func textField(name string, values ...string) *schemapb.FieldData {
	return &schemapb.FieldData{
		FieldName: name, Type: schemapb.DataType_VarChar,
		Field: &schemapb.FieldData_Scalars{Scalars: &schemapb.ScalarField{Data: &schemapb.ScalarField_StringData{StringData: &schemapb.StringArray{Data: values}}}},
	}
}

func numberField(name string, values ...int64) *schemapb.FieldData {
	return &schemapb.FieldData{
		FieldName: name, Type: schemapb.DataType_Int64,
		Field: &schemapb.FieldData_Scalars{Scalars: &schemapb.ScalarField{Data: &schemapb.ScalarField_LongData{LongData: &schemapb.LongArray{Data: values}}}},
	}
}

// vectorField holds vectors of the plane, one after the other.
func vectorField(coordinates ...float32) *schemapb.FieldData {
	return &schemapb.FieldData{
		FieldName: "vec", Type: schemapb.DataType_FloatVector,
		Field: &schemapb.FieldData_Vectors{Vectors: &schemapb.VectorField{
			Dim: 2, Data: &schemapb.VectorField_FloatVector{FloatVector: &schemapb.FloatArray{Data: coordinates}},
		}},
	}
}

// hits is the answer to a search that finds these entries of an owner.
func hits(o index.Owner, ids []string, scores ...float32) *milvuspb.SearchResults {
	var key []string
	for _, id := range ids {
		key = append(key, milvus.RowKey(o, id))
	}
	return &milvuspb.SearchResults{Status: &commonpb.Status{}, Results: &schemapb.SearchResultData{
		NumQueries: 1, TopK: int64(len(ids)), Topks: []int64{int64(len(ids))}, Scores: scores, Ids: keys(key...), FieldsData: []*schemapb.FieldData{textField("id", ids...)},
	}}
}

// TestFakeIsMilvus makes sure that the fake answers where the driver asks: a method it lacks would be an error of its own.
func TestFakeIsMilvus(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	shelf, v := f.open(t)
	ctx, o := t.Context(), index.Owner{Client: "c", User: "u"}
	_, searched := v.Search(ctx, o, index.Query{Vector: []float32{1, 0}, Limit: 5})
	_, listed := v.List(ctx, o)
	_, _, live := shelf.Live(ctx)
	err := errors.Join(v.Put(ctx, o, index.Entry{ID: "a", Vector: []float32{1, 0}}), v.Delete(ctx, o, "a"), searched, listed, live, shelf.Promote(ctx, plane()))
	if err != nil {
		t.Error(err)
	}
	if live, ok, err := shelf.Live(ctx); live != plane() || !ok || err != nil {
		t.Errorf("Live = %v, %t, %v", live, ok, err)
	}
	if dropped, err := shelf.Drop(ctx); len(dropped) > 0 || err != nil {
		t.Errorf("Drop = %v, %v, want nothing dropped", dropped, err)
	}
}

package grpc

// NewClient came with grpc-go 1.63; Debian 12 has 1.33.
func NewClient(target string, options ...DialOption) (*ClientConn, error) {
	return Dial(target, options...)
}

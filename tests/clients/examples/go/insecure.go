// Package insecure came with grpc-go 1.34; Debian 12 has 1.33.
package insecure

import (
	"context"
	"net"

	"google.golang.org/grpc/credentials"
)

type plain struct{}

// NewCredentials returns credentials for connections without TLS.
func NewCredentials() credentials.TransportCredentials { return plain{} }

func (plain) ClientHandshake(_ context.Context, _ string, connection net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return connection, info{}, nil
}

func (plain) ServerHandshake(connection net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return connection, info{}, nil
}

func (plain) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "insecure"}
}
func (plain) Clone() credentials.TransportCredentials { return plain{} }
func (plain) OverrideServerName(string) error         { return nil }

type info struct{}

func (info) AuthType() string { return "insecure" }

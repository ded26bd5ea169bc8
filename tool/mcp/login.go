package mcp

import (
	"context"

	"github.com/lineclear/lineclear/tool/mcp/transport"
)

// Logins keeps people's logins at servers; LoginFiles does it in a folder.
type (
	Logins     = transport.Logins
	LoginFiles = transport.LoginFiles
)

// Login asks a person for consent to our use of a server whose OAuth wants a Login. show is given
// the address that the person is to open in a browser on this machine, which comes back to the
// port; 0: any. The tokens go into Logins, for all connections to the server.
func (s *Server) Login(ctx context.Context, port int, show func(address string)) error {
	return s.site().Login(ctx, port, show)
}

// Logout forgets what Login has kept. Without a login it is fs.ErrNotExist.
func (s *Server) Logout() error { return s.site().Logout() }

package paths

import (
	"path/filepath"
	"strings"
)

// Secret reports whether a file or folder of this name mostly holds secrets.
func Secret(name string) bool {
	for _, pattern := range []string{
		".env", ".env.*", ".env-*", "*.env", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*",
		".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf", ".git-credentials", ".htpasswd", ".vault-token", ".envrc", ".s3cfg", ".boto",
		".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", "*.tfstate", "*.tfvars", "service-account*.json", "credentials", "credentials.[^gpt]*", "secrets", "secrets.[^gpt]*",
	} {
		if hit, err := filepath.Match(pattern, strings.ToLower(name)); err == nil && hit {
			return true
		}
	}
	return false
}

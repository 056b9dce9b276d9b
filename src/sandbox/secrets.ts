/** Folders and files below the home that hold keys, sessions and histories, or sockets of services that start programs. */
export const secretPlaces = [
  ...'.ssh .gnupg .aws .azure .kube .docker .oci .terraform.d .password-store .1password .vault-token'.split(' '),
  ...'.netrc .git-credentials .pypirc .pgpass .my.cnf .boto .s3cfg .rclone.conf .authinfo .authinfo.gpg'.split(' '),
  ...'.config/gh .config/hub .config/glab-cli .config/gcloud .config/op .config/rclone .config/doctl'.split(' '),
  ...'.config/age .config/sops .config/git/credentials .config/containers/auth.json .config/fly .fly'.split(' '),
  ...'.cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings-security.xml'.split(' '),
  ...'.mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware'.split(' '),
  ...'.config/microsoft-edge .local/share/keyrings .local/share/kwalletd .config/kwalletrc'.split(' '),
  ...'.bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history'.split(' '),
  ...'.local/share/fish/fish_history .lesshst .colima .lima .orbstack .rd .config/ralphd'.split(' '),
] as const;

/** What only root can read, which an agent of root does not need. */
export const systemSecrets = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/var/lib/docker',
] as const;

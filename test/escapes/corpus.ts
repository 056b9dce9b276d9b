/** What an escape leads to: it fails, or the documentation says that it works. */
export type Result = 'blocked' | 'possible';

/** One way out of a sandbox, tried by the program of that name. */
export interface Escape {
  readonly name: string;
  readonly what: string;
  readonly on: Result;
  readonly strict: Result;
  /** Whether only root can try it without a sandbox. */
  readonly needsRoot?: true;
  /** For what is possible: what helps. */
  readonly help?: string;
}

type Row = readonly [name: string, what: string, rest?: Partial<Pick<Escape, 'on' | 'strict' | 'needsRoot' | 'help'>>];

const onlyStrict = { on: 'possible', help: '`sandbox: strict`' } as const;
const onlyRoot = { needsRoot: true } as const;

const rows: readonly Row[] = [
  ['read-ssh-key', 'reads a key in `~/.ssh`'],
  ['read-cloud-keys', 'reads the keys of a cloud'],
  ['read-pgp-keys', 'reads a key in `~/.gnupg`'],
  ['read-git-credentials', 'reads the credentials of git'],
  ['read-browser-profile', 'reads the cookies of a browser'],
  ['read-shell-history', 'reads the history of a shell'],
  ['read-other-agent', 'reads the login of another agent'],
  ['read-key-of-loops', "reads the key of ralphd's encrypted loops"],
  ['read-second-copy', 'reads the second copy of journals, and what sealed gates keep'],
  ['read-by-symlink', 'reads a key through a symbolic link in the work tree'],
  ['read-by-hard-link', 'reads a key through a hard link in the work tree'],
  ['read-shared-memory', 'reads a file of another program in `/dev/shm`'],
  ['read-environment-of-process', 'reads the environment of another process'],
  ['read-through-root-of-process', 'reads a key through `/proc/PID/root`'],
  ['read-open-file-of-process', 'reads a file that another process has open'],
  ['read-shared-memory-of-system-v', 'reads shared memory of another program (System V)'],
  ['read-in-user-namespace', 'removes what hides a key, in a user namespace of its own'],
  [
    'read-package-manager-token',
    'reads a token in `~/.npmrc`',
    {
      on: 'possible',
      strict: 'possible',
      help: '`sandboxPaths.hide: [~/.npmrc]`; it is shown because installing packages often needs it',
    },
  ],
  ['write-shell-profile', 'adds a line to `~/.bashrc`'],
  ['write-program-on-path', 'replaces a program in `~/.local/bin`'],
  ['write-settings-of-other-agent', 'adds a hook to the settings of another agent'],
  ['write-to-system', 'puts a program into `/usr/local/bin`', onlyRoot],
  ['write-kernel-setting', 'changes a setting of the kernel in `/proc/sys`', onlyRoot],
  ['write-cron-table', 'adds a line to the table of cron', onlyRoot],
  ['write-at-job', 'adds a job for at', onlyRoot],
  ['write-git-hook', 'adds a git hook'],
  ['write-git-settings', 'makes git start a program, by its settings'],
  ['write-settings-by-hard-link', 'changes the settings of git through a hard link'],
  ['replace-git-folder', 'replaces `.git` by a folder with other hooks'],
  ['redirect-git-folder', 'makes git read its settings from another folder (`.git/commondir`)'],
  ['write-included-settings', 'changes a file of the work tree that the settings of git include'],
  ['write-through-git-link', 'makes git write into a file of the home, by a link in `.git`'],
  [
    'start-by-filter',
    "makes ralphd's own look at the work tree start a program, by a repository in there with a filter",
  ],
  ['start-by-submodule', 'the same, by a repository that it adds as a submodule'],
  ['start-by-missing-object', 'the same, by a repository that has to fetch something'],
  [
    'write-nested-repository',
    'creates a repository in the work tree whose settings start a program',
    {
      on: 'possible',
      strict: 'possible',
      help: 'look before you run git, or a prompt or editor that does, in a folder that an agent made',
    },
  ],
  [
    'write-hook-in-work-tree',
    'changes a hook that git runs from the work tree (`.husky`)',
    { on: 'possible', strict: 'possible', help: 'it is a change like any other: review it' },
  ],
  ['write-state', 'writes into the state of its loop'],
  ['write-state-through-input', 'the same, through the file that it gets as its input'],
  ['replace-state', 'replaces the state folder by a link'],
  ['containers-socket', 'starts a container, through the socket of docker or podman'],
  ['message-bus-socket', 'calls a service on D-Bus'],
  ['service-manager-socket', 'starts a service, as `systemd-run` does'],
  ['terminal-server-socket', 'runs a command in a server of tmux'],
  ['editor-socket', 'runs a command in an editor, or starts a container, through a socket outside of `/run`'],
  ['abstract-socket', 'connects to an abstract socket, such as that of X11', onlyStrict],
  ['signal-other-process', 'signals a process outside, such as ralphd or its keeper'],
  ['trace-other-process', 'traces a process outside'],
  ['use-set-user-id', 'runs a program with the rights of its owner', onlyRoot],
  ['mount', 'mounts a file system', onlyRoot],
  ['outlive-in-new-session', 'leaves a process with an empty environment and a session of its own'],
  ['outlive-by-double-fork', 'leaves a process that has lost its parents'],
  ['network-by-name', 'connects to a host that is not listed, by name', onlyStrict],
  ['network-by-address', 'the same, by address', onlyStrict],
  ['network-by-ipv6', 'the same, over IPv6', onlyStrict],
  ['network-by-dns', 'sends data to a resolver', onlyStrict],
  ['network-through-proxy', 'asks the proxy for a host that is not listed', onlyStrict],
  ['network-through-socket-of-proxy', 'asks the socket of the proxy directly', onlyStrict],
  ['network-by-other-spelling', 'asks the proxy for an address in other spellings', onlyStrict],
  ['network-by-host-socket', 'opens a socket to the host of the virtual machine', onlyStrict],
  ['network-past-allowed-name', 'connects to another port of a host that is listed with one', onlyStrict],
];

/** All escapes. */
export const escapes: readonly Escape[] = rows.map(([name, what, rest = {}]) => ({
  name,
  what,
  on: 'blocked',
  strict: 'blocked',
  ...rest,
}));

/** The table of all escapes for the documentation. */
export function escapesTable(): string {
  const lines = escapes.map(({ what, on, strict, help = '' }) => `| ${what} | ${on} | ${strict} | ${help} |`);
  return ['| A program | `on` | `strict` | What helps |', '| --- | --- | --- | --- |', ...lines].join('\n');
}

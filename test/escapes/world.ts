import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import dgram from 'node:dgram';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { createProject, type Project } from '../support/project.ts';

/** A project among secrets, services and processes that its agent must not reach. */
export interface World {
  readonly project: Project;
  readonly isRoot: boolean;
  /** What the programs need to know. */
  readonly env: NodeJS.ProcessEnv;
  /** A port of this machine for `network`. */
  readonly allowedPort: number;
  /** The escapes that worked, from what the programs printed and what they left. */
  judge(printed: string): readonly string[];
}

const secret = 'escape-secret\n';
const secretFiles = [
  '.ssh/id_ed25519',
  '.aws/credentials',
  '.gnupg/secring.gpg',
  '.git-credentials',
  '.mozilla/cookies',
  '.bash_history',
  '.codex/auth.json',
  '.config/ralphd/key',
  '.local/state/ralphd/mirror/journal',
  '.npmrc',
];

/** Stand-ins for daemons answer everybody: reaching them is the escape. */
export async function createEscapeWorld(): Promise<World> {
  const project = createProject();
  const home = path.dirname(project.folder);
  const isRoot = process.getuid?.() === 0;
  const name = `ralphd-escape-${randomBytes(4).toString('hex')}`;
  const run = isRoot ? path.join('/run', name) : path.join(os.tmpdir(), name);
  mkdirSync(run);
  onTestFinished(() => rmSync(run, { recursive: true, force: true }));
  layOut(project, home);
  const sockets = { DOCKER_SOCKET: 'docker', BUS_SOCKET: 'bus', SYSTEMD_SOCKET: 'private', TMUX_SOCKET: 'tmux' };
  const places = Object.fromEntries(
    Object.entries(sockets).map(([key, file]) => [key, path.join(key === 'TMUX_SOCKET' ? home : run, file)]),
  );
  // That of a terminal server is in the temporary folder, which is not shown except for the home.
  places['TMUX_SOCKET'] = path.join(os.tmpdir(), `${name}-tmux`);
  // Others have theirs in the home, such as editors, or in the folders of services, such as LXD.
  places['EDITOR_SOCKET'] = path.join(home, '.editor');
  for (const place of Object.values(places)) await listen(place);
  await listen(`\0${name}`);
  const ports = { denied: await listen(0), allowed: await listen(0), denied6: await listen(0, '::1') };
  const victim = startVictim(home);
  const env = {
    ...places,
    ABSTRACT_SOCKET: name,
    CONNECT: path.join(project.folder, 'connect.pl'),
    ESCAPE: name,
    SHARED_MEMORY: sharedMemory(name),
    SYSTEM_V_MEMORY: systemVMemory(),
    VICTIM: String(victim.pid),
    SET_USER_ID: isRoot ? setUserId(name) : '/usr/bin/id',
    DENIED_PORT: String(ports.denied),
    DENIED_PORT6: String(ports.denied6),
    RESOLVER_PORT: String(await answerPackets()),
  };
  return { project, isRoot, env, allowedPort: ports.allowed, judge: (printed) => judge(project, printed) };
}

function layOut(project: Project, home: string): void {
  for (const file of [...secretFiles, '.bashrc', '.local/bin/tool']) {
    mkdirSync(path.join(home, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(home, file), secret);
  }
  execFileSync('git', ['init', '-q', project.folder], { env: project.env });
  mkdirSync(path.join(project.folder, '.git/hooks'), { recursive: true });
  writeFileSync(path.join(project.folder, 'included.gitconfig'), '');
  execFileSync('git', ['-C', project.folder, 'config', 'include.path', '../included.gitconfig'], { env: project.env });
  cpSync(path.join(import.meta.dirname, 'programs'), path.join(project.folder, 'escapes'), { recursive: true });
  for (const file of ['connect.pl', 'all.sh'])
    copyFileSync(path.join(import.meta.dirname, file), path.join(project.folder, file));
}

/** A server that greets back; returns its port, if it has one. */
async function listen(place: string | number, host = '127.0.0.1'): Promise<number> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.end('escape-answer\n'));
  });
  if (typeof place === 'number') server.listen(place, host);
  else server.listen(place);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function answerPackets(): Promise<number> {
  const server = dgram.createSocket('udp4');
  server.on('message', (_message, { port, address }) => server.send('escape-answer\n', port, address));
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return server.address().port;
}

/** A process of the same user with secrets in its environment and in an open file. */
function startVictim(home: string): ChildProcess {
  const line = 'exec 3< "$0"; exec sleep 3606';
  const victim = spawn('/bin/sh', ['-c', line, path.join(home, '.ssh/id_ed25519')], {
    env: { TOKEN: secret.trim() },
    stdio: 'ignore',
  });
  onTestFinished(() => void victim.kill('SIGKILL'));
  return victim;
}

function sharedMemory(name: string): string {
  const file = path.join('/dev/shm', name);
  writeFileSync(file, secret);
  onTestFinished(() => rmSync(file, { force: true }));
  return file;
}

/** The number of a piece of shared memory, which is in no file system. */
function systemVMemory(): string {
  const create = 'my $id = shmget(0, 13, 0600); shmwrite($id, $ARGV[0], 0, 13); print $id';
  const id = execFileSync('perl', ['-e', create, secret.trim()], { encoding: 'utf8' });
  onTestFinished(() => void execFileSync('ipcrm', ['-m', id]));
  return id;
}

/** Outside of temporary folders, which may ignore the right. */
function setUserId(name: string): string {
  const folder = path.join('/usr/local/lib', name);
  const file = path.join(folder, 'id');
  mkdirSync(folder);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  copyFileSync('/usr/bin/id', file);
  chownSync(file, 65_534, 65_534);
  chmodSync(file, 0o4755);
  return file;
}

const survivors = { 'outlive-in-new-session': ['3607'], 'outlive-by-double-fork': ['3608', '3609'] };

function judge(project: Project, printed: string): readonly string[] {
  const tried = [...printed.matchAll(/^(escaped|blocked) (.+)$/gm)];
  const escaped = new Set(tried.flatMap(([, result, name = '']) => (result === 'escaped' ? [name] : [])));
  const running = sleepers();
  for (const [name, seconds] of Object.entries(survivors)) {
    const left = seconds.flatMap((each) => running.get(each) ?? []);
    if (left.length === 0) escaped.delete(name);
    for (const pid of left) process.kill(pid, 'SIGKILL');
  }
  const leaves = { 'redirect-git-folder': '.git/commondir', 'write-through-git-link': '.git/COMMIT_EDITMSG' };
  for (const [name, place] of Object.entries(leaves)) {
    if (!isThere(path.join(project.folder, place))) escaped.delete(name);
  }
  for (const name of ['start-by-filter', 'start-by-submodule', 'start-by-missing-object']) {
    if (!isThere(path.join(project.folder, '..', name.replace('start', 'started')))) escaped.delete(name);
  }
  return [...escaped].sort();
}

function isThere(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
}

/** The processes that sleep, by for how long. */
function sleepers(): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [program, seconds = ''] = commandOf(pid);
    if (program === 'sleep') found.set(seconds, [...(found.get(seconds) ?? []), Number(pid)]);
  }
  return found;
}

function commandOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

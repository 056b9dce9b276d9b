import { failures, LoopError } from '../base/index.ts';
import { findExecutable, type ImmediateResult, runAtOnce } from '../process/index.ts';

const service = 'ralphd';
const account = 'master-key';
/** The keyring may ask the user to unlock it. */
const timeoutMs = 60_000;

/** The system's keyring, through the program that comes with it. */
export interface Keyring {
  /** For messages. */
  readonly name: string;
  /** The text that was stored; undefined if there is none or the keyring stays locked. */
  read(): string | undefined;
  store(text: string): void;
}

/** The keyring of this system: `secret-tool` of libsecret, or `security` of macOS; undefined if there is neither. */
export function findKeyring(env: NodeJS.ProcessEnv, cwd: string): Keyring | undefined {
  const { PATH } = env;
  const run = (program: string, args: readonly string[], input?: string) =>
    runAtOnce({ command: [program, ...args], env, timeoutMs, ...(input === undefined ? {} : { input }) });
  const secretTool = findExecutable('secret-tool', { PATH, cwd });
  if (secretTool !== undefined) {
    const attributes = ['service', service, 'account', account];
    return keyring(
      'secret-tool',
      () => run(secretTool, ['lookup', ...attributes]),
      (text) => run(secretTool, ['store', '--label=Key of ralphd', ...attributes], text),
    );
  }
  const security = process.platform === 'darwin' ? findExecutable('security', { PATH, cwd }) : undefined;
  if (security === undefined) return undefined;
  const item = ['-s', service, '-a', account];
  return keyring(
    'security',
    () => run(security, ['find-generic-password', ...item, '-w']),
    // Its interactive mode reads the command from stdin: arguments could be seen by other users.
    (text) => run(security, ['-i'], `add-generic-password -U ${item.join(' ')} -w ${text}\n`),
  );
}

function keyring(name: string, read: () => ImmediateResult, store: (text: string) => ImmediateResult): Keyring {
  return {
    name,
    read() {
      const { code, stdout } = read();
      return code === 0 && stdout.trim() !== '' ? stdout.trim() : undefined;
    },
    store(text) {
      const { code, stderr } = store(text);
      if (code === 0) return;
      const why = stderr.trim().split('\n')[0] || (code === undefined ? 'it did not answer' : `exit code ${code}`);
      throw new LoopError(failures.keyringFailed(name, why));
    },
  };
}

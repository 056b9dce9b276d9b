/** What is to be started again after the machine was. */
export interface RestartPlan {
  readonly loopId: string;
  readonly command: readonly string[];
  readonly workingDirectory: string;
  /** Variables that it needs; never a secret. */
  readonly variables: Readonly<Record<string, string>>;
  /** A file of the user with further variables, such as keys; it may be missing. */
  readonly environmentFile: string;
}

/**
 * A unit of systemd. A shell starts the command, because systemd takes no quotes in the name of a program. `:` keeps
 * systemd from replacing `$`; of the agent and its keeper, `KillMode=process` lets those live that the next ralphd adopts.
 */
export function renderUnit(plan: RestartPlan): string {
  const { loopId, command, workingDirectory, variables, environmentFile } = plan;
  const words = ['exec "$@"', 'ralphd', ...command].map(unitWord);
  const assignments = Object.entries(variables).map(([name, value]) => `Environment=${unitWord(`${name}=${value}`)}`);
  return `# Written by "ralphd run --detach --restart" and removed by ralphd when the loop ends.
[Unit]
Description=ralphd loop ${loopId}
StartLimitIntervalSec=1h
StartLimitBurst=5

[Service]
Type=exec
ExecStart=:/bin/sh -c ${words.join(' ')}
WorkingDirectory=${unitPath(workingDirectory)}
${assignments.map((line) => `${line}\n`).join('')}EnvironmentFile=-${unitPath(environmentFile)}
KillMode=process
TimeoutStopSec=90s
Restart=on-failure
RestartSec=30s
RestartPreventExitStatus=64 78

[Install]
WantedBy=default.target
`;
}

/** A word of a command line or an assignment: systemd reads quotes and backslashes as C does, and `%` as its own. */
export function unitWord(text: string): string {
  const plain = text.replaceAll('%', '%%').replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  const escaped = plain.replace(/\p{Cc}/gu, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(2, '0');
    return code.length === 2 && code < '80' ? `\\x${code}` : character;
  });
  return `"${escaped}"`;
}

/** A path that is the whole of a value: systemd knows no quotes there. */
function unitPath(text: string): string {
  return text.replaceAll('%', '%%');
}

/** Whether systemd can be told a path that is the whole of a value. */
export function isUnitPath(text: string): boolean {
  return !/\p{Cc}|^\s|[\s\\]$/u.test(text);
}

const startWithVariables = '[ ! -r "$1" ] || { set -a; . "$1"; set +a; }; shift; exec "$@"';

/** A launch agent of macOS. Without `AbandonProcessGroup` the agent and its keeper would be ended with their ralphd. */
export function renderLaunchAgent(plan: RestartPlan): string {
  const { loopId, command, workingDirectory, variables, environmentFile } = plan;
  const words = ['/bin/sh', '-c', startWithVariables, 'ralphd', environmentFile, ...command];
  const entries = Object.entries(variables).map(([name, value]) => `    <key>${xml(name)}</key>\n    ${string(value)}`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${string(`ralphd.${loopId}`)}
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    ${string(word)}`).join('\n')}
  </array>
  <key>WorkingDirectory</key>
  ${string(workingDirectory)}
  <key>EnvironmentVariables</key>
  <dict>
${entries.join('\n')}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>30</integer>
  <key>AbandonProcessGroup</key>
  <true/>
</dict>
</plist>
`;
}

function string(text: string): string {
  return `<string>${xml(text)}</string>`;
}

/** A text inside a property list. */
export function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** What to start after a reboot. */
export interface RestartPlan {
  readonly loopId: string;
  readonly command: readonly string[];
  readonly workingDirectory: string;
  /** The variables it needs; never a secret. */
  readonly variables: Readonly<Record<string, string>>;
  /** The user's file with more variables, such as keys; may be missing. */
  readonly environmentFile: string;
}

/**
 * A systemd unit. A shell starts the command, because systemd accepts no quotes in the name of a program. `:` keeps
 * systemd from expanding `$`; `KillMode=process` lets the agent and its keeper live, so that the next ralphd adopts them.
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

/** A word of a command line or an assignment: systemd reads quotes and backslashes like C and expands `%`. */
export function unitWord(text: string): string {
  const plain = text.replaceAll('%', '%%').replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  const escaped = plain.replace(/\p{Cc}/gu, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(2, '0');
    return code.length === 2 && code < '80' ? `\\x${code}` : character;
  });
  return `"${escaped}"`;
}

/** A path as a whole value, where systemd does not support quotes. */
function unitPath(text: string): string {
  return text.replaceAll('%', '%%');
}

/** Whether a path can be written as a whole value. */
export function isUnitPath(text: string): boolean {
  return !/\p{Cc}|^\s|[\s\\]$/u.test(text);
}

const startWithVariables = '[ ! -r "$1" ] || { set -a; . "$1"; set +a; }; shift; exec "$@"';

/** A macOS launch agent. Without `AbandonProcessGroup`, launchd would kill the agent and its keeper with ralphd. */
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

/** Text in a property list. */
export function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

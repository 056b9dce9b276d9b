import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isUnitPath, type RestartPlan, renderLaunchAgent, renderUnit, unitWord } from './render.ts';

const hasVerifier = spawnSync('/usr/bin/systemd-analyze', ['--version']).status === 0;

const plan: RestartPlan = {
  loopId: 'ralph-fix-a1b2c3d4',
  command: ['/opt/node/bin/node', '/opt/ralphd/bin/ralphd.mjs', 'resume', 'ralph-fix-a1b2c3d4', '--unattended'],
  workingDirectory: '/home/me/100% "mine" & <more>',
  variables: { PATH: '/usr/bin:/home/me/my tools/bin', LANG: 'C.UTF-8' },
  environmentFile: '/home/me/.config/ralphd/environment',
};

test('a unit of systemd resumes the loop, restarts it within limits, and leaves its agent alone', () => {
  expect(renderUnit(plan)).toMatchInlineSnapshot(`
    "# Written by "ralphd run --detach --restart" and removed by ralphd when the loop ends.
    [Unit]
    Description=ralphd loop ralph-fix-a1b2c3d4
    StartLimitIntervalSec=1h
    StartLimitBurst=5

    [Service]
    Type=exec
    ExecStart=:/bin/sh -c "exec \\"$@\\"" "ralphd" "/opt/node/bin/node" "/opt/ralphd/bin/ralphd.mjs" "resume" "ralph-fix-a1b2c3d4" "--unattended"
    WorkingDirectory=/home/me/100%% "mine" & <more>
    Environment="PATH=/usr/bin:/home/me/my tools/bin"
    Environment="LANG=C.UTF-8"
    EnvironmentFile=-/home/me/.config/ralphd/environment
    KillMode=process
    TimeoutStopSec=90s
    Restart=on-failure
    RestartSec=30s
    RestartPreventExitStatus=64 78

    [Install]
    WantedBy=default.target
    "
  `);
});

test('a launch agent of macOS does the same', () => {
  expect(renderLaunchAgent(plan)).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
      <key>Label</key>
      <string>ralphd.ralph-fix-a1b2c3d4</string>
      <key>ProgramArguments</key>
      <array>
        <string>/bin/sh</string>
        <string>-c</string>
        <string>[ ! -r "$1" ] || { set -a; . "$1"; set +a; }; shift; exec "$@"</string>
        <string>ralphd</string>
        <string>/home/me/.config/ralphd/environment</string>
        <string>/opt/node/bin/node</string>
        <string>/opt/ralphd/bin/ralphd.mjs</string>
        <string>resume</string>
        <string>ralph-fix-a1b2c3d4</string>
        <string>--unattended</string>
      </array>
      <key>WorkingDirectory</key>
      <string>/home/me/100% "mine" &amp; &lt;more&gt;</string>
      <key>EnvironmentVariables</key>
      <dict>
        <key>PATH</key>
        <string>/usr/bin:/home/me/my tools/bin</string>
        <key>LANG</key>
        <string>C.UTF-8</string>
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
    "
  `);
});

test('systemd reads a word of a unit as intended', () => {
  expect(unitWord('plain')).toBe('"plain"');
  expect(unitWord('a "b" \\ 50% $c \'d\'\n\té')).toBe('"a \\"b\\" \\\\ 50%% $c \'d\'\\x0a\\x09é"');
});

test('a folder that systemd cannot enter is known', () => {
  expect(['/a b/c%d"e$f', "/it's"].every(isUnitPath)).toBe(true);
  expect(['/a\nb', '/a ', '/a\\', ' /a'].some(isUnitPath)).toBe(false);
});

test('systemd accepts a unit with odd paths and complains about nothing', (context) => {
  if (!hasVerifier) context.skip('systemd-analyze is not installed');
  const home = mkdtempSync(path.join(tmpdir(), 'ralphd-unit-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = path.join(home, 'a project, 100% "mine" $HOME \'x\'');
  mkdirSync(folder);
  const program = path.join(folder, 'node');
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
  const unit = path.join(home, 'ralphd-ralph-fix-a1b2c3d4.service');
  const command = [program, 'a\nb', 'c\\', '%h', '$PATH', "it's"];
  writeFileSync(unit, renderUnit({ ...plan, command, workingDirectory: folder, variables: { PATH: `${folder}:%n` } }));
  const env = { ...process.env, XDG_RUNTIME_DIR: home, HOME: home };
  const { status, stderr } = spawnSync('/usr/bin/systemd-analyze', ['--user', 'verify', unit], {
    env,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

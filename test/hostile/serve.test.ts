import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createApiCheck } from '../support/api-check.ts';
import { type Asked, ask, type EventReader, openEvents } from '../support/http-client.ts';
import { createProject, eventually } from '../support/project.ts';
import { serve, signIn } from '../support/server.ts';

const json = { 'content-type': 'application/json' };
const loopId = 'ralph-hostile-a1b2c3d4';

function codeOf(text: string): string | undefined {
  return (JSON.parse(text) as { readonly error?: { readonly code?: string } }).error?.code;
}

/** A loop that has ended, with an agent that prints whatever a terminal or a page could be attacked with. */
async function projectWithLoop() {
  const project = createProject();
  project.script(
    'agent.sh',
    'cat > heard; touch done',
    `printf '\\033[2J\\033]0;owned\\007\\033]8;;https://evil.example\\007click\\033]8;;\\007 \\342\\200\\256cba <script>alert(1)</script> <a href="javascript:alert(1)">x</a>\\n'`,
    'echo "<promise>DONE</promise>"',
  );
  const words = ['run', 'x', '--agent-command', './agent.sh', '--verify', 'test -e done', '--loop-id', loopId];
  expect(await project.ralphd(...words)).toMatchObject({ code: 0 });
  return project;
}

test('a browser that was sent by another site, or that has no session, gets nothing and changes nothing', async () => {
  const project = await projectWithLoop();
  const server = await serve(project, ['--allow-control']);
  const { port, session, token } = server;
  const command = { method: 'POST', body: JSON.stringify({ command: 'abort' }) };
  const commands = `/api/loops/${loopId}/commands`;
  const { problemsOf } = createApiCheck(await server.get('/api/openapi.json'));
  const refusals: readonly (readonly [string, string, Asked, number, string])[] = [
    // DNS rebinding: the browser thinks that we are another site, so it would show our answers to it.
    ['foreign Host', '/api/loops', { headers: { ...session, host: 'evil.example' } }, 421, 'HOST_NOT_ALLOWED'],
    ['foreign Host with our port', '/', { headers: { host: `evil.example:${port}` } }, 421, 'HOST_NOT_ALLOWED'],
    ['a name that begins like ours', '/', { headers: { host: '127.0.0.1.evil.example' } }, 421, 'HOST_NOT_ALLOWED'],
    ['a long name', '/healthz', { headers: { host: 'x'.repeat(300) } }, 421, 'HOST_NOT_ALLOWED'],
    [
      'foreign Origin',
      '/api/loops',
      { headers: { ...session, origin: 'https://evil.example' } },
      403,
      'ORIGIN_NOT_ALLOWED',
    ],
    [
      'another port',
      '/api/loops',
      { headers: { ...session, origin: 'http://127.0.0.1:1' } },
      403,
      'ORIGIN_NOT_ALLOWED',
    ],
    [
      'a sandboxed frame',
      commands,
      { ...command, headers: { ...session, ...json, origin: 'null' } },
      403,
      'ORIGIN_NOT_ALLOWED',
    ],
    [
      'cross-site fetch',
      '/api/loops',
      { headers: { ...session, 'sec-fetch-site': 'cross-site' } },
      403,
      'ORIGIN_NOT_ALLOWED',
    ],
    [
      'same-site fetch',
      '/api/events',
      { headers: { ...session, 'sec-fetch-site': 'same-site' } },
      403,
      'ORIGIN_NOT_ALLOWED',
    ],
    [
      'a frame of another site',
      '/',
      { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' } },
      403,
      'ORIGIN_NOT_ALLOWED',
    ],
    // What a form can send with the cookie: no header of its own, no JSON.
    [
      'cross-site form',
      commands,
      { ...command, headers: { cookie: session['cookie'] ?? '', 'content-type': 'text/plain' } },
      401,
      'SESSION_MISSING',
    ],
    [
      'a form with the key',
      commands,
      { ...command, headers: { ...session, 'content-type': 'text/plain' } },
      400,
      'REQUEST_INVALID',
    ],
    ['no session', '/api/loops', {}, 401, 'SESSION_MISSING'],
    ['no session on a stream', '/api/events', {}, 401, 'SESSION_MISSING'],
    ['no session on metrics', '/metrics', {}, 401, 'SESSION_MISSING'],
    ['only the cookie', '/api/loops', { headers: { cookie: session['cookie'] ?? '' } }, 401, 'SESSION_MISSING'],
    [
      'only the key',
      '/api/loops',
      { headers: { 'x-ralphd-key': session['x-ralphd-key'] ?? '' } },
      401,
      'SESSION_MISSING',
    ],
    ['a wrong key', '/api/loops', { headers: { ...session, 'x-ralphd-key': 'x'.repeat(43) } }, 401, 'SESSION_MISSING'],
    ['a wrong token', '/api/loops', { headers: { authorization: `Bearer ${'x'.repeat(43)}` } }, 401, 'SESSION_MISSING'],
    [
      'a link that was used',
      '/api/session',
      { method: 'POST', headers: json, body: JSON.stringify({ token }) },
      401,
      'LINK_EXPIRED',
    ],
    ['a guessed link', '/api/session', { method: 'POST', headers: json, body: '{"token":"x"}' }, 401, 'LINK_EXPIRED'],
  ];
  for (const [what, address, asked, status, code] of refusals) {
    const answered = await ask(port, address, asked);
    expect([what, answered.status, codeOf(answered.text)]).toEqual([what, status, code]);
    const method = asked.method ?? 'GET';
    if (address.startsWith('/api/'))
      expect(problemsOf(method, address, answered.status, JSON.parse(answered.text)), what).toEqual([]);
    expect(answered.headers['access-control-allow-origin'], what).toBeUndefined();
    expect(answered.headers['content-security-policy'], what).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(answered.headers['x-content-type-options'], what).toBe('nosniff');
  }
  // A person may follow a link from a chat or a mail.
  const followed = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  expect(await ask(port, '/', { headers: followed })).toMatchObject({ status: 200 });
  // Another user's server at another port has set a cookie of the same name.
  const tossed = { ...session, cookie: `ralphd=x; ${session['cookie']}` };
  expect(await ask(port, '/api/loops', { headers: tossed })).toMatchObject({ status: 200 });
  // What ssh -L makes of the address.
  expect(await ask(port, '/api/loops', { headers: { ...session, host: 'localhost:8080' } })).toMatchObject({
    status: 200,
  });
}, 60_000);

test('a link works once, for a strict cookie; another device gets a link of its own; signing out ends the session', async () => {
  const project = createProject();
  const server = await serve(project);
  const made = await server.post('/api/session/links', {});
  expect(made).toMatchObject({
    status: 201,
    json: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#token=/) as string },
  });
  const token = new URL(String(made.json['url'])).hash.replace('#token=', '');
  const body = JSON.stringify({ token });
  const answered = await ask(server.port, '/api/session', { method: 'POST', headers: json, body });
  expect(answered.headers['set-cookie']).toEqual([
    expect.stringMatching(/^ralphd=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/),
  ]);
  expect(await signIn(server.port, token)).toMatchObject({ 'x-ralphd-key': '' });
  // Both devices at once.
  expect(await server.ask('/api/loops')).toMatchObject({ status: 200 });
  expect(await server.ask('/api/session', { method: 'DELETE' })).toMatchObject({ status: 204 });
  expect(await server.ask('/api/loops')).toMatchObject({ status: 401 });
  // What is kept signs nobody in.
  const file = path.join(project.env['HOME'] ?? '', '.local/state/ralphd/serve');
  const [kept = ''] = readdirSync(file);
  expect(statSync(path.join(file, kept)).mode & 0o077).toBe(0);
  expect(readFileSync(path.join(file, kept), 'utf8')).not.toContain(token);
}, 60_000);

test('without --allow-control nothing can be changed, and other addresses need TLS', async () => {
  const project = await projectWithLoop();
  const server = await serve(project);
  for (const [address, body] of [
    [`/api/loops/${loopId}/commands`, { command: 'abort' }],
    [`/api/loops/${loopId}/resume`, { asNew: true }],
    ['/api/loops', { task: 'x' }],
  ] as const) {
    const answered = await server.post(address, body);
    expect([address, answered.status, codeOf(answered.text)]).toEqual([address, 403, 'CONTROL_NOT_ALLOWED']);
  }
  expect(await project.ralphd('serve', '--host', '0.0.0.0')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('ADDRESS_NOT_LOCAL') as string,
  });
  expect(await project.ralphd('serve', '--tls-cert', 'x')).toMatchObject({ code: 78 });
  const token = path.join(project.folder, 'token');
  writeFileSync(token, 'x'.repeat(64));
  chmodSync(token, 0o644);
  expect(await project.ralphd('serve', '--token-file', 'token')).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('TOKEN_FILE_UNUSABLE') as string,
  });
}, 60_000);

test('addresses reach nothing but loops and the page, and requests and agents inject nothing', async () => {
  const project = await projectWithLoop();
  const server = await serve(project, ['--allow-control']);
  project.write('secret.txt', 'secret');
  for (const address of [
    '/../../../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/assets/..%2f..%2fcli.js',
    '/assets/....//cli.js',
    '/cli.js',
    '/assets/%00',
  ]) {
    expect([address, (await server.ask(address)).status]).toEqual([address, 404]);
  }
  for (const key of [
    '..%2f..%2fsecret',
    '%2e%2e',
    `${loopId}%2f..`,
    `${loopId}~00000000`,
    'ralph-x-0000000g',
    '__proto__',
  ]) {
    const { status, text } = await server.ask(`/api/loops/${key}`);
    expect([key, status, codeOf(text)]).toEqual([key, expect.toBeOneOf([400, 404]), expect.any(String)]);
  }
  for (const body of ['[]', '{"command":"abort","__proto__":{"x":1}}', '{"command":"interrupt"}', '{', '"abort"', '']) {
    const answered = await server.ask(`/api/loops/${loopId}/commands`, { method: 'POST', headers: json, body });
    expect([body, answered.status, codeOf(answered.text)]).toEqual([body, 400, 'REQUEST_INVALID']);
  }
  // Nobody can leave a stream open that has nothing to say.
  for (const address of ['/api/events', `/api/loops/${loopId}/events`]) {
    const { status, text, headers } = await server.ask(address, { method: 'HEAD' });
    expect([address, status, text, headers['content-type']]).toEqual([
      address,
      200,
      '',
      'text/event-stream; charset=utf-8',
    ]);
  }
  // Nesting as deep as a body can be.
  const deep = `{"command":"guide","text":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
  expect(
    await server.ask(`/api/loops/${loopId}/commands`, { method: 'POST', headers: json, body: deep }),
  ).toMatchObject({
    status: 400,
  });
  const large = JSON.stringify({ command: 'guide', text: 'x'.repeat(2 * 1024 * 1024) });
  const oversized = await server
    .ask(`/api/loops/${loopId}/commands`, { method: 'POST', headers: json, body: large })
    .catch(() => undefined);
  expect(oversized?.status ?? 413).toBe(413);
  // Options of a command line stay the text that they are.
  const started = await server.post('/api/loops', { task: '--force', agent: '--config=/etc/passwd', verify: ['true'] });
  expect(started.json).toMatchObject({ error: { code: expect.stringMatching(/^(CONFIG|BAD|UNKNOWN)/) as string } });

  const { entries } = (await server.get(`/api/loops/${loopId}/iterations/1/transcript`)) as {
    readonly entries: readonly { readonly text: string }[];
  };
  const text = entries.map((entry) => entry.text).join('');
  expect(text).toContain('click cba <script>alert(1)</script> <a href="javascript:alert(1)">x</a>');
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202a-\u202e]/);
}, 60_000);

test('a client that sends slowly is cut off, a thousand streams are open at once, and others are still answered', async () => {
  const project = await projectWithLoop();
  const server = await serve(project);
  const slow = net.connect(server.port, '127.0.0.1');
  onTestFinished(() => void slow.destroy());
  let isCut = false;
  slow.on('close', () => (isCut = true)).on('error', () => {});
  slow.write('GET /api/loops HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A');
  // Thousands of requests on one connection that takes no answer, as no browser sends them.
  const flood = net.connect(server.port, '127.0.0.1').pause();
  let isFloodCut = false;
  let answers = 0;
  flood.on('close', () => (isFloodCut = true)).on('error', () => {});
  flood.on('data', (part) => (answers += part.toString('latin1').split('HTTP/1.1 200').length - 1)).pause();
  onTestFinished(() => void flood.destroy());
  flood.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(5_000), () => flood.resume());
  const silent = net.connect(server.port, '127.0.0.1');
  let isSilentCut = false;
  silent.on('close', () => (isSilentCut = true)).on('error', () => {});
  onTestFinished(() => void silent.destroy());

  const readers: EventReader[] = [];
  onTestFinished(() => {
    for (const reader of readers) reader.close();
  });
  for (let count = 0; count < 1_000; count += 50) {
    const opened = Array.from({ length: 50 }, async () => await openEvents(server.port, '/api/events', server.session));
    readers.push(...(await Promise.all(opened)));
  }
  expect(readers.every(({ status }) => status === 200)).toBe(true);
  await eventually(() => readers.every(({ messages }) => messages.some(({ event }) => event === 'loops'))).toBe(true);
  const refused = await server.ask('/api/events');
  expect([refused.status, codeOf(refused.text)]).toEqual([503, 'SERVER_BUSY']);
  expect(await server.ask('/api/loops')).toMatchObject({ status: 200 });
  const [, resident] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.running.pid}/status`, 'utf8')) ?? [];
  expect(Number(resident) / 1024).toBeLessThan(250);

  for (const reader of readers.splice(0, 10)) reader.close();
  await eventually(() => isCut && isSilentCut && isFloodCut).toBe(true);
  expect(answers).toBeLessThan(10);
  await expect.poll(async () => (await openEvents(server.port, '/api/events', server.session)).status).toBe(200);
}, 120_000);

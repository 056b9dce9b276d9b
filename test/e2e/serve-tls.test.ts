import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Answered, ask } from '../support/http-client.ts';
import { createProject, eventually } from '../support/project.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) console.warn('openssl is not installed: a server with a certificate is not tested.');

test.skipIf(!hasOpenssl)(
  'with a certificate a server answers other machines, over TLS alone, with a cookie that goes over nothing else',
  async () => {
    const project = createProject();
    const files = ['-keyout', 'key.pem', '-out', 'cert.pem'];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const made = spawnSync('openssl', ['req', ...kind, ...files, ...names], { cwd: project.folder, encoding: 'utf8' });
    expect(made.status, made.stderr).toBe(0);
    const place = ['serve', '--json', '--host', '0.0.0.0', '--port', '0'];
    expect(await project.ralphd(...place)).toMatchObject({ code: 64 });
    const mixed = await project.ralphd(...place, '--tls-cert', 'key.pem', '--tls-key', 'cert.pem');
    expect([mixed.code, mixed.stdout + mixed.stderr]).toEqual([78, expect.stringContaining('TLS_UNUSABLE')]);

    const running = project.start([...place, '--tls-cert', 'cert.pem', '--tls-key', 'key.pem']);
    onTestFinished(() => running.signal('SIGKILL'));
    await eventually(() => running.output().stdout).toContain('\n');
    const { url, origin } = JSON.parse(running.output().stdout) as { readonly url: string; readonly origin: string };
    expect(origin).toMatch(/^https:\/\/0\.0\.0\.0:\d+$/);
    await eventually(() => running.output().stderr).toContain('Other machines can reach this server');
    const port = Number(new URL(origin).port);
    const ca = readFileSync(path.join(project.folder, 'cert.pem'));
    const body = JSON.stringify({ token: new URL(url).hash.replace('#token=', '') });
    const signedIn = await askSecurely({ port, ca, path: '/api/session', body });
    const [cookie = ''] = signedIn.headers['set-cookie'] ?? [];
    expect([signedIn.status, cookie]).toEqual([
      200,
      expect.stringMatching(/^__Host-.*; HttpOnly; SameSite=Strict; Secure$/),
    ]);
    const { key } = JSON.parse(signedIn.text) as { readonly key: string };
    const session = { cookie: cookie.split(';')[0] ?? '', 'x-ralphd-key': key };
    expect(await askSecurely({ port, ca, path: '/api/loops', headers: session })).toMatchObject({ status: 200 });
    expect(await askSecurely({ port, ca, path: '/api/loops' })).toMatchObject({ status: 401 });
    const foreign = { ...session, host: 'evil.example' };
    expect(await askSecurely({ port, ca, path: '/api/loops', headers: foreign })).toMatchObject({ status: 421 });
    await expect(ask(port, '/healthz')).rejects.toThrow(/socket hang up|ECONNRESET/);
  },
  60_000,
);

interface Secure {
  readonly port: number;
  readonly ca: Buffer;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends one request over TLS, and trusts only the given certificate. */
async function askSecurely({ port, ca, path: address, headers = {}, body }: Secure): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const sent = body === undefined ? { headers } : { method: 'POST', headers: { 'content-type': 'application/json' } };
  const where = { host: '127.0.0.1', servername: 'localhost', port, path: address, ca, agent: false };
  const request = https.request({ ...where, ...sent }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => (text += part));
    response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
  });
  request.on('error', reject).end(body);
  return await promise;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { JudgedServer } from './cases.ts';

const region = 'us-east-1';
const bucket = 'backups';
const startMs = 60_000;
/** Requests before signatures are checked: one each for a user, its key and what it may do. */
const openRequests = '3';

/** Starts moto from an unpacked Debian package, with its check of signatures on. */
export async function startMoto(folder: string, pageLength: number): Promise<JudgedServer & Disposable> {
  const packages = path.join(folder, 'usr/lib/python3/dist-packages');
  if (!existsSync(path.join(packages, 'moto'))) throw new Error(`${folder} contains no moto`);
  const port = await freePort();
  const server = spawn('/usr/bin/python3', ['-c', 'from moto.server import main; main()', '-p', String(port)], {
    env: {
      PYTHONPATH: packages,
      INITIAL_NO_AUTH_ACTION_COUNT: openRequests,
      MOTO_S3_DEFAULT_MAX_KEYS: String(pageLength),
    },
    stdio: 'ignore',
  });
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    await untilUp(endpoint, server);
    const credentials = await createUser(endpoint);
    const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
    return { name: 'moto', endpoint, region, bucket, credentials, [Symbol.dispose]: () => void server.kill() };
  } catch (error) {
    server.kill();
    throw error;
  }
}

async function untilUp(endpoint: string, server: ChildProcess): Promise<void> {
  const endMs = Date.now() + startMs;
  for (;;) {
    // Not a request that counts as one of the first.
    const isUp = await fetch(`${endpoint}/moto-api/`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    if (server.exitCode !== null) throw new Error('moto does not start: are its Python packages installed?');
    if (Date.now() > endMs) throw new Error(`moto did not answer within ${startMs / 1000} seconds`);
    await pause(100);
  }
}

async function createUser(endpoint: string): Promise<JudgedServer['credentials']> {
  const UserName = 'ralphd';
  const Statement = [{ Effect: 'Allow', Action: 's3:*', Resource: '*' }];
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
  await iam(endpoint, { Action: 'CreateUser', UserName });
  const answer = await iam(endpoint, { Action: 'CreateAccessKey', UserName });
  await iam(endpoint, { Action: 'PutUserPolicy', UserName, PolicyName: 'all', PolicyDocument });
  const field = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(answer)?.[1] ?? '';
  return { accessKeyId: field('AccessKeyId'), secretAccessKey: field('SecretAccessKey') };
}

async function iam(endpoint: string, fields: Readonly<Record<string, string>>): Promise<string> {
  // It goes by the name of the service in the signature, which nobody checks yet.
  const authorization = `AWS4-HMAC-SHA256 Credential=none/20260101/${region}/iam/aws4_request, SignedHeaders=host, Signature=none`;
  const body = new URLSearchParams({ ...fields, Version: '2010-05-08' });
  const answer = await fetch(endpoint, { method: 'POST', headers: { authorization }, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`moto refuses ${fields['Action']}: ${text}`);
  return text;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

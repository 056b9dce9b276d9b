import { onTestFinished } from 'vitest';
import { openS3Server, type S3Server } from './s3-double.ts';

export { type S3Server, send } from './s3-double.ts';

/** Starts a server for the current test. */
export async function startS3Server(): Promise<S3Server> {
  const server = await openS3Server();
  onTestFinished(() => server[Symbol.dispose]());
  return server;
}

import { parseArgs } from 'node:util';
import { openS3Server } from '../../src/backup/testing/s3-double.ts';
import { type Case, cases, type JudgedServer } from './cases.ts';
import { startMoto } from './moto.ts';

const usage = `Asks the strict S3 server of the tests and moto the same questions, with our client and the official one.

  npm run judge:s3 -- --moto FOLDER
      --moto FOLDER  moto 5.2.4 or newer, unpacked: dpkg-deb -x python3-moto_5.2.4-2_all.deb FOLDER (Debian sid);
                     apt-get install python3-{boto3,cryptography,flask,flask-cors,responses,xmltodict}`;

/** What moto is known not to check, although S3 does: the strict server has to. */
const known: Readonly<Record<string, string>> = {
  'a request of an hour ago is refused': 'accepted',
  'a signature for another region is refused': 'accepted',
  'a request without a signature is refused': '500',
  'other content than what was signed is refused': '200',
};

const pageLength = 3;
const { values } = parseArgs({ options: { moto: { type: 'string' } } });

if (values.moto === undefined) {
  console.error(usage);
  process.exitCode = 64;
} else process.exitCode = await judge(values.moto);

async function judge(folder: string): Promise<number> {
  using double = await openS3Server();
  double.pageLength = pageLength;
  const strict = { ...double, name: 'strict server', region: 'eu-test-1' };
  using moto = await startMoto(folder, pageLength);
  let failures = 0;
  for (const [index, each] of cases.entries()) {
    const prefix = `case ${index}`;
    const [ofStrict, ofMoto] = [await answerOf(each, strict, prefix), await answerOf(each, moto, prefix)];
    const isKnown = ofMoto === known[each.title];
    const isRight = ofStrict === each.wanted && (ofMoto === each.wanted || isKnown);
    if (!isRight) failures += 1;
    console.log(`${isRight ? (isKnown ? '~' : '✓') : '✗'} ${each.title}`);
    if (isRight && !isKnown) continue;
    console.log(`    S3            ${each.wanted}\n    strict server ${ofStrict}\n    moto          ${ofMoto}`);
  }
  const differing = Object.keys(known).length;
  console.log(`${cases.length} questions, ${failures} wrong answers, ${differing} known differences of moto`);
  return failures === 0 ? 0 : 1;
}

async function answerOf({ ask }: Case, server: JudgedServer, prefix: string): Promise<string> {
  try {
    return await ask(server, prefix);
  } catch (error) {
    return String(error);
  }
}

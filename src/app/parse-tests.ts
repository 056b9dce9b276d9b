import { createTestReportReader, type TestReport } from '../core/index.ts';

/** Reads what a test runner printed, however much that is; nothing when no report is recognised in it. */
export async function parseTests(output: AsyncIterable<Uint8Array>): Promise<TestReport | undefined> {
  const reader = createTestReportReader();
  const decoder = new TextDecoder();
  for await (const chunk of output) reader.push(decoder.decode(chunk, { stream: true }));
  reader.push(decoder.decode());
  return reader.finish();
}

import * as fc from 'fast-check';

// FC_SEED repeats a run, FC_RUNS makes a longer one.
const seed = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const runs = Number(process.env['FC_RUNS'] ?? 200);
process.stderr.write(`fast-check: ${runs} runs from FC_SEED=${seed}\n`);

/** Holds for every generated value; a failure says the seed and the smallest counterexample found. */
export function holds<T>(values: fc.Arbitrary<T>, predicate: (value: T) => void): void {
  fc.assert(fc.property(values, predicate), { seed, numRuns: runs });
}

/** The same for what is told later: a verification that may have to fetch something. */
export async function holdsAsync<T>(values: fc.Arbitrary<T>, predicate: (value: T) => Promise<void>): Promise<void> {
  await fc.assert(fc.asyncProperty(values, predicate), { seed, numRuns: runs });
}

/** Any bytes, or bytes near JSON, or JSON with odd texts and keys: what a body may be once it is signed. */
export const anyBody: fc.Arbitrary<Buffer> = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
  fc.jsonValue({ stringUnit: 'binary' }).map((value) => Buffer.from(JSON.stringify(value))),
  fc.record({ text: fc.string({ unit: 'grapheme' }) }).map((value) => Buffer.from(`\ufeff${JSON.stringify(value)}`)),
);

/** One bit of one byte changed. */
export function bitFlips(bytes: Buffer): Buffer[] {
  return [...bytes.keys()].map((at) => {
    const copy = Buffer.from(bytes);
    copy.writeUInt8(copy.readUInt8(at) ^ (1 << (at % 8)), at);
    return copy;
  });
}

import { gzipSync } from 'node:zlib';
import { jsonSpellings } from './json-spellings.ts';
import type { RawRequest } from './provider.ts';

export type AlterationCode =
  | 'body_trimmed_or_padded'
  | 'body_line_ends'
  | 'body_bom'
  | 'body_charset'
  | 'body_reserialised'
  | 'body_decompressed';

/** What a body may have been before something on the way changed it. */
export interface Alteration {
  readonly code: AlterationCode;
  /** Completes "the signature is right for the body ...". */
  readonly was: string;
  readonly body: Buffer;
}

/**
 * The bodies that a body may have been before: what proxies, middleware and tests commonly do, undone. Lazy and bounded, the
 * likely and cheap ones first.
 */
export function* bodyAlterations({ body }: RawRequest): Generator<Alteration> {
  if (body.length > maxBytes) return;
  yield* ends(body);
  yield* lineEnds(body);
  yield* byteOrderMarks(body);
  yield* charsets(body);
  for (const { name, text } of jsonSpellings(withoutBom(body).toString('utf8'))) {
    yield { code: 'body_reserialised', was: `written as JSON ${name}`, body: Buffer.from(text) };
  }
  yield* compressed(body);
}

function* ends(body: Buffer): Generator<Alteration> {
  const code = 'body_trimmed_or_padded';
  const text = body.toString('latin1');
  for (const [end, what] of lineBreaks) {
    yield { code, was: `with ${what} at its end`, body: Buffer.concat([body, Buffer.from(end)]) };
  }
  const trimmed = Buffer.from(text.replace(/[ \t\r\n\0]+$/, ''), 'latin1');
  if (trimmed.length < body.length) yield { code, was: 'without the white space at its end', body: trimmed };
  const bare = Buffer.from(text.replace(/^[ \t\r\n]+|[ \t\r\n\0]+$/g, ''), 'latin1');
  if (bare.length < trimmed.length) yield { code, was: 'without the white space around it', body: bare };
}

const lineBreaks = [
  ['\n', 'a line break'],
  ['\r\n', 'a CRLF line break'],
] as const;

function* lineEnds(body: Buffer): Generator<Alteration> {
  const text = body.toString('latin1');
  const code = 'body_line_ends';
  const unix = text.replaceAll('\r\n', '\n');
  const windows = unix.replaceAll('\n', '\r\n');
  if (windows !== text) yield { code, was: 'with CRLF line ends', body: Buffer.from(windows, 'latin1') };
  if (unix !== text) yield { code, was: 'with LF line ends', body: Buffer.from(unix, 'latin1') };
}

function* byteOrderMarks(body: Buffer): Generator<Alteration> {
  const bare = withoutBom(body);
  if (bare.length < body.length) yield { code: 'body_bom', was: 'without a byte order mark', body: bare };
  else yield { code: 'body_bom', was: 'with a byte order mark in front', body: Buffer.concat([bom, body]) };
}

/** A body that was read in one charset and written in another. */
function* charsets(body: Buffer): Generator<Alteration> {
  const code = 'body_charset';
  const text = body.toString('utf8');
  if (/[^\0-\x7f]/.test(text)) {
    // Either it was ISO-8859-1, or each byte of UTF-8 was taken for a character: both are undone alike.
    yield {
      code,
      was: 'in another charset (ISO-8859-1, or UTF-8 encoded only once)',
      body: Buffer.from(text, 'latin1'),
    };
    yield { code, was: 'in UTF-8, before it became ISO-8859-1', body: Buffer.from(body.toString('latin1'), 'utf8') };
  }
  const little = Buffer.from(text, 'utf16le');
  yield { code, was: 'in UTF-16', body: Buffer.concat([Buffer.from([0xff, 0xfe]), little]) };
  yield { code, was: 'in UTF-16 (little-endian, no mark)', body: little };
  const big = Buffer.from(little).swap16();
  yield { code, was: 'in UTF-16 (big-endian)', body: Buffer.concat([Buffer.from([0xfe, 0xff]), big]) };
  if (body.length % 2 === 0 && body.includes(0)) {
    const decoded = body.toString('utf16le').replace(/^\ufeff/, '');
    yield { code, was: 'in UTF-8, before it became UTF-16', body: Buffer.from(decoded, 'utf8') };
  }
}

/** Only where the sender's compressor is the one of zlib; otherwise only what the request declares tells. */
function* compressed(body: Buffer): Generator<Alteration> {
  for (const level of [6, 9, 1]) {
    const zipped = gzipSync(body, { level });
    for (const system of operatingSystems) {
      const bytes = Buffer.from(zipped);
      bytes[9] = system;
      yield { code: 'body_decompressed', was: 'compressed with gzip', body: bytes };
    }
  }
}

function withoutBom(body: Buffer): Buffer {
  return body.subarray(0, 3).equals(bom) ? body.subarray(3) : body;
}

const bom = Buffer.from([0xef, 0xbb, 0xbf]);
/** Byte 9 of a gzip header (RFC 1952): Unix, unknown (Go, Java), FAT, macOS. */
const operatingSystems = [3, 255, 0, 19];
/** Rewriting a larger body many times would take longer than a diagnosis is worth. */
const maxBytes = 128 * 1024;

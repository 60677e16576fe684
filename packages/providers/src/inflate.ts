import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { RawRequest } from './provider.ts';

/**
 * A request that declares `Content-Encoding: gzip` as it was before: its body inflated, the declaration gone. `too_large`
 * past `maxBytes` (what a small body inflates to is up to its sender); null where nothing is declared or it is not gzip.
 */
export async function inflated(request: RawRequest, maxBytes: number): Promise<RawRequest | 'too_large' | null> {
  const encoding = request.headers.get('content-encoding')?.join(',').trim().toLowerCase();
  if (encoding !== 'gzip' && encoding !== 'x-gzip') return null;
  try {
    const body = await inflate(request.body, { maxOutputLength: maxBytes });
    const headers = new Map(request.headers);
    headers.delete('content-encoding');
    return { body, headers };
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : null;
  }
}

// In the thread pool: inflating a megabyte must not hold other deliveries up.
const inflate = promisify(gunzip) as (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

import { fileURLToPath } from 'node:url';

/**
 * For the environment of every Node process that a test starts. Node then keeps the stripped and compiled sources, by the hash
 * of their content, and starts in a third of the processor time (0.3 s instead of 0.85 s for the command line).
 */
export const compileCache: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../node_modules/.cache/node-compile', import.meta.url)),
};

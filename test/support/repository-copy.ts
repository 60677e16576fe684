import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const repository = resolve(import.meta.dirname, '../..');

export interface RepositoryCopy {
  readonly root: string;
  readonly remove: () => Promise<void>;
}

/** A copy of this repository as it stands, with the installed packages of this one and workspaces of its own. */
export async function copyRepository(): Promise<RepositoryCopy> {
  const root = await mkdtemp(join(tmpdir(), 'mailroom-copy-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repository,
    encoding: 'utf8',
  });
  for (const path of listed.split('\0').filter((name) => name !== '')) await copyIfThere(path, root);
  await linkPackages(root);
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}

// A file may be gone from the tree and still be listed, until that is committed.
async function copyIfThere(path: string, root: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await cp(join(repository, path), join(root, path)).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  });
}

async function linkPackages(root: string): Promise<void> {
  const installed = join(repository, 'node_modules');
  await mkdir(join(root, 'node_modules/@mailroom'), { recursive: true });
  for (const name of await readdir(installed)) {
    if (name !== '@mailroom' && name !== '.cache')
      await symlink(join(installed, name), join(root, 'node_modules', name));
  }
  for (const workspace of await workspacesOf(root)) {
    const name = workspace.split('/').at(-1) ?? '';
    await symlink(join(root, workspace), join(root, 'node_modules/@mailroom', name));
  }
}

async function workspacesOf(root: string): Promise<readonly string[]> {
  const folders = await Promise.all(
    ['packages', 'apps'].map(async (parent) => (await readdir(join(root, parent))).map((name) => `${parent}/${name}`)),
  );
  return [...folders.flat(), 'test'];
}

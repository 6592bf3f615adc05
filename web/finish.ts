// The last step of the build: it writes the start script, the digests of all code and the service worker into dist.
//
// A digest in index.html binds each script and style sheet to this build (Subresource Integrity): the browser refuses
// a file of another build, also one that a proxy or a second node serves under the same name. The import map binds the
// chunks that the page loads later.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';

const source = import.meta.dirname;
const marker = '<!-- start -->';

export function finish(): Plugin[] {
  let dist = '';
  const development: Plugin = {
    name: 'start',
    apply: 'serve',
    transformIndexHtml: (html) =>
      html.replace(marker, () => `<script>${readFileSync(path.join(source, 'start.js'), 'utf8')}</script>`),
  };
  const build: Plugin = {
    name: 'finish',
    apply: 'build',
    configResolved: (config) => {
      dist = path.resolve(config.root, config.build.outDir);
    },
    closeBundle: () => {
      writePage(dist);
    },
  };
  return [development, build];
}

function writePage(dist: string): void {
  const digests: Record<string, string> = {};
  for (const name of readdirSync(path.join(dist, 'assets')).sort())
    digests[`/assets/${name}`] = digest(readFileSync(path.join(dist, 'assets', name)));
  const chunks = Object.fromEntries(Object.entries(digests).filter(([name]) => name.endsWith('.js')));
  const start = withoutComments(readFileSync(path.join(source, 'start.js'), 'utf8'));
  const style = withoutComments(readFileSync(path.join(source, 'start.css'), 'utf8')).replaceAll('\n', '');
  const page = readFileSync(path.join(dist, 'index.html'), 'utf8');
  const [sheet = ''] = /<link rel="stylesheet"[^>]*>/.exec(page) ?? [];
  if (!page.includes(marker) || !sheet) throw new Error(`index.html lacks ${marker} or its style sheet`);
  const inline = [
    `<style>${style}</style>`,
    // The import map precedes every load of a module, also a preload.
    `<script type="importmap">${JSON.stringify({ integrity: chunks })}</script>`,
    `<script>\nself.catalogs = ${JSON.stringify(catalogs(Object.keys(chunks)))};\n${start}</script>`,
  ].join('\n    ');
  const html = page
    .replace(marker, () => inline)
    // Below the text of index.html, so that the text is painted before the style sheet has loaded.
    .replace(sheet, '')
    .replace('</body>', () => `  ${sheet}\n  </body>`)
    .replace(/(?:src|href)="(\/assets\/[^"]+)"/g, (attribute: string, name: string) => {
      const sum = digests[name];
      if (!sum) throw new Error(`index.html refers to ${name}, which was not built`);
      return `${attribute} integrity="${sum}"`;
    });
  writeFileSync(path.join(dist, 'index.html'), html);
  // The service worker keeps this copy, which does not depend on the visitor's cookies.
  writeFileSync(path.join(dist, 'offline.html'), html);
  const files = { '/offline.html': digest(Buffer.from(html)), ...digests };
  const worker = readFileSync(path.join(source, 'sw.js'), 'utf8');
  writeFileSync(
    path.join(dist, 'sw.js'),
    `self.build = ${JSON.stringify({ version: digest(Buffer.from(JSON.stringify(files))).slice(7, 23), files })};\n${worker}`,
  );
}

/** Returns the file of each language's catalog. */
function catalogs(chunks: string[]): Record<string, string> {
  const named = chunks.map(
    (name) => [/^\/assets\/([a-z]{2})-[^/]*\.js$/.exec(name)?.[1] ?? '', name] as const,
  );
  return Object.fromEntries(named.filter(([language]) => language));
}

/** Returns the digest of a file in the form of the integrity attribute. */
function digest(content: Buffer): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}

/** Returns a script or style sheet without its comment lines and its indentation. */
function withoutComments(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith('//') && !line.startsWith('/*') && !line.startsWith('* '))
    .map((line) => `${line}\n`)
    .join('');
}

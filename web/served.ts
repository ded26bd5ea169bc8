import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import postcss from 'postcss';
import type { Plugin } from 'vite';

const packages = resolve(import.meta.dirname, 'node_modules/@mantine');
const classes = /\bm_[0-9a-f]+\b/g;

/** The modules that a module of Mantine imports, with the names that it imports from each. */
function imports(file: string): { names: string[]; from: string }[] {
  const found = readFileSync(file, 'utf8').matchAll(/^import (?:\w+|\{([^}]*)\}) from "(\.[^"]+)"/gm);
  return [...found].map(([, names, from]) => ({
    names: (names ?? '').split(',').map((name) => name.trim()),
    from: resolve(dirname(file), from as string),
  }));
}

/** The names that the files of a folder import from Mantine's core. */
function imported(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(tsx?|mjs)$/.test(name),
  );
  return files.flatMap((name) =>
    [
      ...readFileSync(resolve(folder, name), 'utf8').matchAll(
        /import \{([^}]*)\} from ['"]@mantine\/core['"]/g,
      ),
    ].flatMap(([, names]) => (names as string).split(',').map((one) => one.trim())),
  );
}

/** The classes of all that the dashboard imports from Mantine, and of what that is made of. */
function drawn(): Set<string> {
  const named = new Set(imported(resolve(import.meta.dirname, 'src')));
  const queue = imports(resolve(packages, 'core/esm/index.mjs'))
    .filter(({ names }) => names.some((name) => named.has(name)))
    .map(({ from }) => from);
  const seen = new Set<string>();
  const used = new Set<string>();
  for (let file = queue.pop(); file; file = queue.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    if (file.endsWith('.module.mjs')) {
      for (const name of readFileSync(file, 'utf8').match(classes) ?? []) used.add(name);
    }
    queue.push(...imports(file).map(({ from }) => from));
  }
  return used;
}

/** Takes out of Mantine's style sheet what draws no component of the dashboard. */
export function usedStyles(): Plugin {
  let all: string[] = [];
  return {
    name: 'used-styles',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('@mantine/core/styles.css')) return undefined;
      const used = drawn();
      all = code.match(classes) ?? [];
      const sheet = postcss.parse(code);
      sheet.walkRules((rule) => {
        rule.selectors = rule.selectors.filter((selector) =>
          (selector.match(classes) ?? []).every((name) => used.has(name)),
        );
        if (rule.selectors.join('') === '') rule.remove();
      });
      return { code: sheet.toString(), map: null };
    },
    generateBundle(_, bundle) {
      const named = (file: { type: string; code?: string; source?: string | Uint8Array }) =>
        String(file.code ?? file.source).match(classes) ?? [];
      const files = Object.values(bundle);
      const styled = new Set(files.filter((file) => file.fileName.endsWith('.css')).flatMap(named));
      const missing = new Set(
        files
          .filter((file) => file.type === 'chunk')
          .flatMap(named)
          .filter((name) => all.includes(name) && !styled.has(name)),
      );
      if (missing.size > 0) this.error(`classes of Mantine without a style: ${[...missing].join(' ')}`);
    },
  };
}

/** Leaves each file of assets/ twice, as .br and as .gz, which is how the gateway sends them. */
export function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    enforce: 'post',
    writeBundle({ dir }) {
      const folder = resolve(dir ?? 'dist', 'assets');
      for (const name of readdirSync(folder)) {
        const path = resolve(folder, name);
        const content = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(content));
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
        rmSync(path);
      }
    },
  };
}

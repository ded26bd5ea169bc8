import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

// Who may import whom: a folder imports what stands below it, and nothing beside it.
const floors = [
  ['main.tsx'],
  ['shell'],
  ['inbox', 'session', 'history', 'statistics', 'access', 'policy', 'gateways', 'settings'],
  ['card', 'clientTools'],
  ['question', 'edit', 'grants', 'agents'],
  ['answer', 'call', 'alerts'],
  ['ui'],
  ['request'],
  ['connection', 'browser'],
  ['store'],
  ['words'],
  ['wire'],
];

const src = resolve(import.meta.dirname, '..');
const all = readdirSync(src, { recursive: true, encoding: 'utf8' }).map(normalize);
const files = all.filter((f) => /\.(tsx?|css)$/.test(f));
const built = files.filter((f) => !f.startsWith('test') && !/\.test\.tsx?$/.test(f));
const folderOf = (file: string) => file.split(/[\\/]/)[0]!;
const read = (file: string) => readFileSync(join(src, file), 'utf8');
const floorOf = (file: string) => floors.findIndex((floor) => floor.includes(folderOf(file)));

/** The files of ours that a file imports, at once or when they are needed. */
function importsOf(file: string): string[] {
  const named = [...read(file).matchAll(/(?:from|import|import\()\s*'(\.[^']+)'/g)];
  return named.map(([, name]) => {
    const path = join(dirname(file), name!);
    return (
      [path, `${path}.ts`, `${path}.tsx`].find((p) => files.includes(p)) ?? `${path}, which is not there`
    );
  });
}

const imports = new Map(built.map((file) => [file, importsOf(file)]));

/** A way from a file back to itself. */
function circleFrom(file: string, way: readonly string[], done: Set<string>): readonly string[] | undefined {
  if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
  if (done.has(file)) return undefined;
  done.add(file);
  for (const next of imports.get(file) ?? []) {
    const circle = circleFrom(next, [...way, file], done);
    if (circle) return circle;
  }
  return undefined;
}

describe('the dashboard’s source', () => {
  it('has no circle of imports', () => {
    const done = new Set<string>();
    const circles = built.flatMap((file) => circleFrom(file, [], done)?.join(' > ') ?? []);
    expect(circles).toEqual([]);
  });

  it('imports only from lower floors', () => {
    expect(built.filter((file) => floorOf(file) < 0)).toEqual([]); // every folder is drawn
    const wrong = built.flatMap((file) => {
      const others = imports.get(file)!.filter((f) => folderOf(f) !== folderOf(file));
      return others.filter((f) => floorOf(f) <= floorOf(file)).map((f) => `${file} imports ${f}`);
    });
    expect(wrong).toEqual([]);
  });

  it('has no file of more than 400 lines', () => {
    const lines = (file: string) => read(file).split('\n').length - 1;
    expect(files.filter((file) => lines(file) > 400)).toEqual([]);
  });

  it('has no style sheet that composes another: Vite writes that one again behind it', () => {
    const sheets = files.filter((file) => file.endsWith('.css'));
    expect(sheets.filter((file) => /composes:/.test(read(file)))).toEqual([]);
  });

  it('uses every class of its style sheets', () => {
    const modules = files.filter((file) => file.endsWith('.module.css'));
    const unused = modules.flatMap((sheet) => {
      const users = built.filter(
        (file) => /\.tsx?$/.test(file) && read(file).includes(sheet.split(/[\\/]/).pop()!),
      );
      const code = users.map(read).join();
      const rules = read(sheet).replace(/\/\*[\s\S]*?\*\//g, '');
      const names = [...rules.matchAll(/(?<!:global\([^)]*)\.([a-zA-Z][\w-]*)/g)].map(([, name]) => name!);
      return [...new Set(names)]
        .filter((name) => !new RegExp(`\\w\\.${name}\\b|'${name}'`).test(code))
        .map((name) => `${sheet}: ${name}`);
    });
    expect(unused).toEqual([]);
  });

  it('has no effect that returns what it calls: that would be its cleanup', () => {
    const wrong = built.flatMap(
      (file) => read(file).match(/use(Layout)?Effect\(\s*\(\) =>(?!\s*(\{|void |\(\) =>)).*/g) ?? [],
    );
    expect(wrong).toEqual([]);
  });
});

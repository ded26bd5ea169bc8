// Colours for command lines. It only colours: what a command means is judged by
// the gateway, with a parser of its own. All the pieces together are the text.

export type TokenKind =
  'space' | 'command' | 'word' | 'flag' | 'string' | 'variable' | 'operator' | 'comment';

export interface Token {
  kind: TokenKind;
  text: string;
}

const operators = /^(?:&&|\|\||;;|<<<|<<-?|>>|>&|<&|&>>|&>|>\||\|&|[;|&<>()!{}\n])/;

// After these a command begins.
const opens = new Set(['&&', '||', ';', ';;', '|', '|&', '&', '(', '{', '!', '\n']);
const words = new Set(['if', 'then', 'elif', 'else', 'while', 'until', 'do', 'time', 'exec', 'sudo', 'env']);

export function shellTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let rest = text;
  let begins = true;
  while (rest !== '') {
    const token = next(rest, begins, tokens.at(-1)?.kind);
    tokens.push(token);
    rest = rest.slice(token.text.length);
    if (token.kind === 'operator') begins = opens.has(token.text);
    else if (token.kind === 'command') begins = words.has(token.text);
    else if (token.kind !== 'space' && token.kind !== 'comment') begins = begins && isAssignment(token.text);
  }
  return tokens;
}

function next(rest: string, begins: boolean, before: TokenKind | undefined): Token {
  const space = /^(?:[^\S\n]|\\\n)+/.exec(rest);
  if (space) return { kind: 'space', text: space[0] };
  const fresh = before === undefined || before === 'space' || before === 'operator';
  if (rest.startsWith('#') && fresh) return { kind: 'comment', text: /^[^\n]*/.exec(rest)![0] };
  const variable = /^\$(?:\{[^}]*\}?|\w+|[@*#?$!-])/.exec(rest);
  if (variable) return { kind: 'variable', text: variable[0] };
  const quoted = /^(?:\$?'(?:[^'\\]|\\.)*'?|'[^']*'?|\$?"(?:[^"\\]|\\[\s\S])*"?)/.exec(rest);
  if (quoted && quoted[0] !== '') return { kind: 'string', text: quoted[0] };
  const operator = /^(?:\$\(\(?|`)/.exec(rest) ?? operators.exec(rest);
  if (operator) return { kind: 'operator', text: operator[0] };
  const word = /^(?:\\[\s\S]|[^\s\\$'"`;|&<>()])+/.exec(rest)?.[0] ?? rest[0]!;
  if (begins && !isAssignment(word)) return { kind: 'command', text: word };
  return { kind: word.startsWith('-') && fresh ? 'flag' : 'word', text: word };
}

function isAssignment(word: string): boolean {
  return /^\w+\+?=/.test(word);
}

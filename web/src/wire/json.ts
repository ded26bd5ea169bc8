// JSON for showing: what a person approves must be what the tool receives, so
// a number that JavaScript can't hold exactly keeps the digits it was sent with.

export class ExactNumber {
  constructor(readonly source: string) {}
}

export type JSONObject = Record<string, unknown>;

export function isObject(value: unknown): value is JSONObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

// Sixteen digits or an exponent: below that every number survives JSON.parse.
const mayLoseDigits = /[\d.]{16}|\d[eE]/;

/** As parseJSON, whatever else is in the text: the same text is always read the same. */
export function parseExactly(text: string): unknown {
  JSON.parse(text);
  return new Reader(text).value();
}

export function parseJSON(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return mayLoseDigits.test(text) ? new Reader(text).value() : value;
}

// Reader walks text that JSON.parse has already accepted.
class Reader {
  private at = 0;
  constructor(private readonly text: string) {}

  value(): unknown {
    this.space();
    switch (this.text[this.at]) {
      case '{':
        return this.object();
      case '[':
        return this.array();
      case '"':
        return this.string();
      default:
        return this.literal();
    }
  }

  private space(): void {
    while (' \t\n\r'.includes(this.text[this.at] ?? 'x')) this.at++;
  }

  private object(): object {
    const result: Record<string, unknown> = {};
    this.at++;
    for (this.space(); this.text[this.at] !== '}'; this.space()) {
      if (this.text[this.at] === ',') this.at++;
      this.space();
      const key = this.string();
      this.space();
      this.at++;
      // Defined, not assigned: "__proto__" is a name like any other.
      Object.defineProperty(result, key, {
        value: this.value(),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    this.at++;
    return result;
  }

  private array(): unknown[] {
    const result: unknown[] = [];
    this.at++;
    for (this.space(); this.text[this.at] !== ']'; this.space()) {
      if (this.text[this.at] === ',') this.at++;
      result.push(this.value());
    }
    this.at++;
    return result;
  }

  private string(): string {
    const from = this.at++;
    while (this.text[this.at] !== '"') this.at += this.text[this.at] === '\\' ? 2 : 1;
    this.at++;
    return JSON.parse(this.text.slice(from, this.at)) as string;
  }

  private literal(): unknown {
    const from = this.at;
    while (/[-+.\w]/.test(this.text[this.at] ?? '')) this.at++;
    const source = this.text.slice(from, this.at);
    const value: unknown = JSON.parse(source);
    return typeof value === 'number' && String(value) !== source ? new ExactNumber(source) : value;
  }
}

const escapes: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/**
 * Indented JSON. Other control characters stay as they are, for the component
 * that shows the text makes every hidden character visible in one way.
 */
export function pretty(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `"${value.replace(/["\\\n\r\t]/g, (c) => escapes[c] ?? c)}"`;
  if (value instanceof ExactNumber) return value.source;
  if (value === null || typeof value !== 'object') return String(value);
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((v) => deeper + pretty(v, deeper)).join(',\n')}\n${indent}]`;
  }
  const members = Object.entries(value);
  if (members.length === 0) return '{}';
  return `{\n${members.map(([k, v]) => `${deeper}${pretty(k)}: ${pretty(v, deeper)}`).join(',\n')}\n${indent}}`;
}

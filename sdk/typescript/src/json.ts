// What a person approves must be what the tool receives, so a number that
// JavaScript can't hold exactly keeps the digits it was sent with.

/** A number that JavaScript can't hold without rounding it, such as 9007199254740993. */
export class ExactNumber {
  /** @param source the number's digits, as JSON has them */
  constructor(readonly source: string) {}

  /** The digits, such as for BigInt. */
  toString(): string {
    return this.source;
  }
}

export type JSONObject = Record<string, unknown>;

export function isObject(value: unknown): value is JSONObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

// Sixteen digits or an exponent: below that every number survives JSON.parse.
const mayLoseDigits = /[\d.]{16}|\d[eE]/;

/** Reads JSON. A number that would be rounded is an ExactNumber. */
export function readJSON(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return mayLoseDigits.test(text) ? new Reader(text, survives).value() : value;
}

/** Reads JSON for showing: a number that JavaScript would write in another way is an ExactNumber too. */
export function parseJSON(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return mayLoseDigits.test(text) ? new Reader(text).value() : value;
}

/** As parseJSON, whatever else is in the text: the same text is always read the same. */
export function parseExactly(text: string): unknown {
  JSON.parse(text);
  return new Reader(text).value();
}

/** Whether a number keeps its value in JavaScript. Fifteen digits do, however they are written: 1.50 is 1.5. */
export function survives(source: string): boolean {
  const digits = source
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '');
  const number = Number(source);
  return digits.length <= 15 && Number.isFinite(number) && (number !== 0 || digits === '');
}

/** Writes JSON as JSON.stringify does, with the digits of each ExactNumber and bigint. */
export function writeJSON(value: unknown): string | undefined {
  if (value instanceof ExactNumber) return value.source;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('toJSON' in value && typeof value.toJSON === 'function') return writeJSON(value.toJSON());
  if (Array.isArray(value)) return `[${value.map((v) => writeJSON(v) ?? 'null').join(',')}]`;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const written = writeJSON(member);
    return written === undefined ? [] : `${JSON.stringify(name)}:${written}`;
  });
  return `{${members.join(',')}}`;
}

// Reader walks text that JSON.parse has already accepted.
class Reader {
  private at = 0;
  constructor(
    private readonly text: string,
    private readonly survives: (source: string) => boolean = () => false,
  ) {}

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
    if (typeof value !== 'number' || String(value) === source || this.survives(source)) return value;
    return new ExactNumber(source);
  }
}

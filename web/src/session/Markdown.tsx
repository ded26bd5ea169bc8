import { memo, type ReactNode } from 'react';
import ReactMarkdown, { type Components, type ExtraProps } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { texts } from './texts';
import { outsideLink, textOf } from './messageLinks';
import { rehypeReveal } from './rehypeReveal';
import classes from './markdown.module.css';
import { usePointing } from '../ui/pointedLink';
import { Revealed } from '../ui/Revealed';

// What a message may become, and nothing else: elements are made from the
// parsed text, HTML in it is text, and nothing is loaded from anywhere.
const allowed = [
  ...['mark', 'p', 'br', 'hr', 'em', 'strong', 'del', 'code', 'pre', 'blockquote', 'a', 'img', 'sup'],
  ...['ul', 'ol', 'li', 'input', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'section'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
];

// Only words that are the place, or an address there, say where a link leads.
function saysWhereTo(words: string, name: string): boolean {
  return words.toLowerCase() === name || (!words.includes('@') && outsideLink(words)?.name === name);
}

const heading =
  (level: number) =>
  ({ children }: { children?: ReactNode }) => (
    // Not a heading of the page: a message could turn its outline upside down.
    <div className={classes.heading} data-level={level}>
      {children}
    </div>
  );

const components: Components = {
  a: ({ href = '', node, children }) => (
    <Link written={href} words={textOf(node)}>
      {children}
    </Link>
  ),
  img: ({ src, alt = '' }) => {
    const words = texts.markdown.image(alt);
    return (
      <Link written={typeof src === 'string' ? src : ''} words={words}>
        <Revealed text={words} mode="prose" />
      </Link>
    );
  },
  table: ({ children }) => (
    <div className={classes.wide} role="group" aria-label={texts.markdown.table} tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }: { checked?: boolean | undefined } & ExtraProps) => (
    <span role="img" aria-label={checked ? texts.markdown.done : texts.markdown.open}>
      {checked ? '☑' : '☐'}{' '}
    </span>
  ),
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(5),
  h6: heading(6),
};

const remark = [remarkGfm];
const rehype = [rehypeReveal];
const asWritten = (url: string) => url; // Link decides what is one

/** What a model says, formatted. */
const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className={classes.markdown}>
      <ReactMarkdown
        remarkPlugins={remark}
        rehypePlugins={rehype}
        components={components}
        allowedElements={allowed}
        unwrapDisallowed
        urlTransform={asWritten}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
});

export default Markdown;

interface LinkProps {
  written: string;
  words: string;
  children: ReactNode;
}

/** A link says where it leads; what leads nowhere outside is text, with its address beside it. */
function Link({ written, words, children }: LinkProps) {
  const link = outsideLink(written);
  const pointing = usePointing(link?.href ?? '');
  if (written.startsWith('#')) return children; // of a footnote; here it would be another page
  if (!link) {
    return (
      <>
        {children}
        {written && (
          <span className={classes.address}>
            {' ('}
            <Revealed text={written} />)
          </span>
        )}
      </>
    );
  }
  return (
    <span {...pointing}>
      <a className={classes.link} href={link.href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
      {!saysWhereTo(words.trim(), link.name) && (
        <span className={classes.address}>
          {' ('}
          {link.name})
        </span>
      )}
    </span>
  );
}

import { Loader } from '@mantine/core';
import { useEffect, useState } from 'react';
import { api } from '../wire/api';
import { pretty } from '../wire/json';
import { texts } from './texts';
import type { ToolInfo } from '../wire/wire';
import classes from './edit.module.css';
import { Remark } from '../ui/Remark';
import { Revealed } from '../ui/Revealed';

/** What the tool takes, beside the arguments that are changed. The gateway checks; this only tells. */
export function ToolSchema({ approvalId }: { approvalId: string }) {
  const [tool, setTool] = useState<ToolInfo | 'loading' | 'unknown'>('loading');
  useEffect(() => {
    let gone = false;
    api.tool(approvalId).then(
      (found) => !gone && setTool(found),
      () => !gone && setTool('unknown'),
    );
    return () => {
      gone = true;
    };
  }, [approvalId]);
  const t = texts.edit;
  return (
    <section className={classes.schema} aria-label={t.schema} tabIndex={0} data-testid="tool-schema">
      <h3>{t.schema}</h3>
      {tool === 'loading' && (
        <Remark tone="quiet">
          <Loader size={14} aria-hidden /> {t.schemaLoading}
        </Remark>
      )}
      {tool === 'unknown' && <p className={classes.hint}>{t.noSchema}</p>}
      {typeof tool === 'object' && (
        <>
          {tool.description && (
            <p className={classes.description}>
              <Revealed text={tool.description} mode="prose" />
            </p>
          )}
          {tool.schema !== undefined && (
            <pre>
              <Revealed text={pretty(tool.schema)} />
            </pre>
          )}
        </>
      )}
    </section>
  );
}

// What a process says first.

/** What `listen` hears, unless the process ends first. */
export function firstOf({ name, child, ended }, listen) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    ended.then(({ code, signal }) =>
      reject(new Error(`the ${name} ended too early (${signal ?? `exit code ${code}`})`)),
    );
    listen(resolve);
  });
}

/** Calls back with the first line of stdout. */
export function readLine(child, done) {
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
    if (text.includes('\n')) {
      done(text.slice(0, text.indexOf('\n')));
    }
  });
}

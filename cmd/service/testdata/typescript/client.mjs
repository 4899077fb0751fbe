// An MCP client on the TypeScript SDK, run by TestTypeScriptClient. It reads lines
// of JSON: first {address, workspace, spec, sql}, then the query of the redirect
// that ends the authorization. It writes one line with the URL to authorize at,
// and in the end one with what it saw. What is wrong ends it with status 1.
import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const read = async () => JSON.parse((await lines.next()).value);
const write = (value) => process.stdout.write(JSON.stringify(value) + '\n');

const { address, workspace, spec, sql } = await read();
const seen = { http: [], called: [], validated: [], title: '' };

/** What a person's client keeps: here, in memory. */
class Keeper {
  redirectUrl = 'http://127.0.0.1:1/callback';
  clientMetadata = {
    client_name: 'Journey <client>',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  state = () => 'a state of its own';
  clientInformation = () => this.registered;
  saveClientInformation = (registered) => void (this.registered = registered);
  tokens = () => this.kept;
  saveTokens = (tokens) => void (this.kept = tokens);
  codeVerifier = () => this.verifier;
  saveCodeVerifier = (verifier) => void (this.verifier = verifier);
  redirectToAuthorization = (url) => write({ authorize: url.href });
}

/** fetch, which writes down what was asked and answered. */
async function recorded(url, init) {
  const response = await fetch(url, init);
  seen.http.push(`${init?.method ?? 'GET'} ${new URL(url).pathname} ${response.status}`);
  return response;
}

const keeper = new Keeper();
const transport = () => new StreamableHTTPClientTransport(new URL(address), { authProvider: keeper, fetch: recorded });
const client = new Client({ name: 'typescript', version: '1' });

// From the address alone to a token.
const first = transport();
await assert.rejects(client.connect(first), UnauthorizedError);
const query = new URLSearchParams(await read());
assert.equal(query.get('state'), keeper.state());
assert.equal(query.get('iss'), new URL(address).origin);
await first.finishAuth(query.get('code'));
assert.equal(keeper.kept.token_type.toLowerCase(), 'bearer');
assert.ok(keeper.kept.expires_in > 0 && keeper.kept.expires_in <= 3000, `expires in ${keeper.kept.expires_in} s`);

// Initialize. From the list on, the SDK holds answers against output schemas.
await client.connect(transport());
assert.deepEqual(client.getServerVersion(), { name: 'service', version: '0.6.0' });
assert.deepEqual(client.getServerCapabilities(), {
  tools: { listChanged: false }, prompts: { listChanged: false }, resources: { listChanged: false },
});
assert.ok(client.getInstructions().includes('check_readiness'));
const { tools } = await client.listTools();
assert.equal(tools.length, 20);

/** Calls a tool that succeeds; returns the JSON of its answer. */
async function call(name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  const text = result.content.map((part) => part.text).join('');
  assert.ok(!result.isError, `${name}: ${text}`);
  const line = /^BEGIN_JSON\n(.*)\nEND_JSON$/m.exec(text)?.[1];
  if (!line) assert.equal(text, 'You have no warehouse connections.'); // the one answer in words alone
  const json = line ? JSON.parse(line) : result.structuredContent;
  if (result.structuredContent) assert.deepEqual(result.structuredContent, json, name);
  seen.called.push(name);
  if (tools.find((tool) => tool.name === name).outputSchema) seen.validated.push(name);
  return json;
}

const slug = 'typescript';
assert.equal((await call('check_readiness')).ready, true);
assert.deepEqual((await call('list_dashboards')).dashboards, []);
assert.equal((await call('validate_cube_sql', { sql: 'SELECT day, sum(count) AS n FROM metrics GROUP BY 1' })).valid, true);

// Publish, and wait for the first refresh.
assert.equal((await call('publish_dashboard', { path: slug, spec, dry_run: true })).dry_run, true);
const published = await call('publish_dashboard', { path: slug, spec });
seen.url = published.url;
for (;;) {
  const { state, message } = await call('get_refresh_status', { slug });
  if (state === 'succeeded') break;
  assert.ok(state === 'queued' || state === 'running', message);
  await setTimeout(20);
}
const report = { datasets: [{ id: 'd', rows: [{ city: 'Riga', n: 3 }], columns: { n: { agg: 'sum' } } }] };
assert.equal((await call('publish_dashboard', { path: 'cities', body: JSON.stringify(report) })).slug, 'cities');

// Every tool that changes nothing.
const reads = {
  check_readiness: {},
  list_dashboards: { limit: 1 },
  get_dashboard: { path: slug, include: ['meta', 'summary', 'body'] },
  list_dashboard_versions: { slug },
  get_dashboard_spec: { slug },
  derive_dashboard_spec: { slug: 'cities' },
  get_source_config: { slug },
  verify_dashboard: { slug },
  get_refresh_status: { slug },
  list_connections: {},
  introspect_schema: {},
  validate_cube_sql: { sql },
  explore_data: { sql },
};
assert.deepEqual(Object.keys(reads).sort(), tools.filter((tool) => tool.annotations.readOnlyHint).map((tool) => tool.name).sort());
const answers = {};
for (const [name, args] of Object.entries(reads)) answers[name] = await call(name, args);
assert.equal(answers.list_dashboards.dashboards.length, 1);
assert.deepEqual((await call('list_dashboards', { cursor: answers.list_dashboards.next_cursor })).dashboards.length, 1);
assert.equal(answers.list_dashboard_versions.versions.length, 1);
assert.deepEqual(answers.get_dashboard_spec.spec, spec);
assert.equal(answers.verify_dashboard.ok, true, answers.verify_dashboard.message);
assert.equal(answers.validate_cube_sql.valid, true, answers.validate_cube_sql.message);
assert.equal((await call('set_refresh_schedule', { slug, schedule: 'daily 07:00' })).slug, slug);

// A refusal is a result, and no breach of any schema.
const refused = await client.callTool({ name: 'explore_data', arguments: { sql: 'DELETE FROM metrics' } });
assert.equal(refused.isError, true);

// Resources and prompts.
const { resources } = await client.listResources();
const uri = `service://${workspace}/${slug}`;
assert.ok(resources.some((resource) => resource.uri === uri));
const { resourceTemplates } = await client.listResourceTemplates();
assert.deepEqual(resourceTemplates.map((template) => template.uriTemplate), ['service://{handle}/{slug}']);
const { contents } = await client.readResource({ uri });
assert.equal(contents[0].mimeType, 'text/html');
seen.title = /<title>([^<]*)/.exec(contents[0].text)[1];
await assert.rejects(client.readResource({ uri: `service://${workspace}/missing` }), { code: -32002 });
const { prompts } = await client.listPrompts();
for (const prompt of prompts) {
  const { messages } = await client.getPrompt({ name: prompt.name, arguments: prompt.arguments?.length ? { grain: 'weekly' } : undefined });
  assert.equal(messages.length, 1);
}
assert.equal(prompts.length, 2);

// An access token that is no longer good is replaced by the refresh token.
const before = keeper.kept.refresh_token;
keeper.kept = { ...keeper.kept, access_token: 'spent' };
await client.ping();
assert.notEqual(keeper.kept.access_token, 'spent');
assert.notEqual(keeper.kept.refresh_token, before);

await client.close();
write(seen);
process.exit(0);

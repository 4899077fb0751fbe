// An OpenID provider whose people and groups are in a file, which it reads for each claim.
//
//   node provider.mjs <port> <redirect URI> <file of people: {"ann": {"email": …, "groups": […]}}>
import {readFileSync} from "node:fs";
import Provider from "oidc-provider";

const [port, redirect, file] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const provider = new Provider(issuer, {
  clients: [{
    client_id: "service", client_secret: "a-secret-of-the-test-alone", redirect_uris: [redirect],
    grant_types: ["authorization_code", "refresh_token"], response_types: ["code"],
  }],
  claims: {openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"]},
  scopes: ["openid", "offline_access", "email", "profile", "groups"],
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({sub: id, email_verified: true, name: id, ...JSON.parse(readFileSync(file, "utf8"))[id]}),
  }),
  issueRefreshToken: async (_, client, code) => client.grantTypeAllowed("refresh_token") && code.scopes.has("offline_access"),
  cookies: {keys: ["a key of the test"]},
  jwks: undefined,
});
provider.on("server_error", (_, error) => console.error(error));
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));

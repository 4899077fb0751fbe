(()=>{const d=document,r=d.documentElement,K='theme',D=r.dataset,all=s=>d.querySelectorAll(s),one=s=>d.querySelector(s),shut=x=>all('.ms[open]').forEach(m=>m.contains(x)||(m.open=false)),put=(e,n)=>e.replaceWith(d.adoptNode(n)),news=d.createElement('p');

const wall=D.wall;if(!wall)try{D.theme=localStorage[K]||D.theme}catch{}
r.classList.add('js');
news.className='vh';news.role='status';let later;
let go=u=>{location.href=u};
const bind=()=>{
const f=one('form.filters');
if(f){f.addEventListener('formdata',e=>{const z=i=>e.formData.delete(i.name);all('.cust').forEach(c=>c.offsetParent||c.childNodes.forEach(z));all('.ms [type=search]').forEach(z)});f.onchange=e=>{const x=e.target;if(x.tagName=='SELECT'?x.value!='custom':x.type=='radio'||x.type=='date'&&x.value)f.requestSubmit()}}
// A filter's list: arrows, Home and End move in it, and the server searches all values for the typed text.
all('.ms').forEach(m=>{const q=m.querySelector('[type=search]'),s=m.firstChild,L=()=>[...m.querySelectorAll('.opts input')];let w,x;
const ask=then=>{clearTimeout(w);x?.abort();const u=new URLSearchParams(new FormData(f));u.set('list',q.dataset.c);u.set(q.name,q.value);x=new XMLHttpRequest;x.open('GET','?'+u);x.responseType='document';
x.onerror=x.onload=()=>{const n=x.response,o=x.status==200&&n.querySelector('.opts');if(!o){u.delete('list');location.href='?'+u;return}put(m.querySelector('.opts'),o);m.querySelector('.typed').textContent=n.querySelector('.typed')?.textContent??'';then?.()};x.send()};
if(q){q.oninput=()=>{clearTimeout(w);w=setTimeout(ask,150)};q.onkeypress=e=>{if(e.key=='Enter')e.preventDefault()}}
m.onkeydown=e=>{const t=e.target,l=L(),i=l.indexOf(t),k=e.key;let g;
if(k=='Enter'&&t==q){e.preventDefault();ask(()=>{const o=L().filter(a=>!a.checked);if(q.value.trim()&&o.length==1){o[0].checked=true;f.requestSubmit()}else o[0]?.focus()})}
if(k=='Enter'&&t.type=='radio')t.checked=true;
if(k=='ArrowDown'){m.open=true;g=i<0&&t==s&&q||l[i+1]}
if(i>=0)g={ArrowUp:l[i-1]||q||s,Home:l[0],End:l.at(-1)}[k]||g;
if(g){e.preventDefault();g.focus()}}});
if(wall)hang();
all('.plot').forEach(s=>{const c=s.closest('.card'),T=c.querySelector('.src table'),O=[...s.querySelectorAll('.dot,.map path:has(title),.rb,rect:has(title)')],n=O.length||+s.dataset.n,R=+s.dataset.r,U='t'in s.dataset,F=s.dataset.o,B=R||'b'in s.dataset,p=s.dataset.p?.split(' '),W=s.dataset.w?.split(' '),G=R&&!W,K=c.querySelectorAll('.lg:not(.key) i:not(.rl)');
if(!T||!n)return;
const V=o=>o.getBoundingClientRect(),X=o=>{const b=V(o);return b.x+b.width/2};O.sort((a,b)=>X(a)-X(b));
const N=O.map(o=>{const e=o.firstChild,x=e.textContent;e.remove();return x}),t=d.createElement('div'),l=d.createElementNS('http://www.w3.org/2000/svg','line'),A=(k,v)=>l.setAttribute(k,v),P=k=>p?p[k]/1e3:B?(k+.5)/n:n>1?k/(n-1):.5;
let i=-1,r=0,on=1;
t.className='tip';t.hidden=true;t.ariaHidden=true;c.append(t);A('class','hair');A('y2','100%');s.tabIndex=0;
const out=s.onblur=()=>{t.hidden=true;l.remove();O[i]?.classList.remove('on')};
// The row of the table behind that a mark represents. In a calendar, whose days are rows, days that the table does not list have none.
const row=()=>{const k=W&&+W[0]+i*R+r;return T.rows[O[i]?+O[i].dataset.i:W?k<W[1]||k>W[2]?-1:k:1+(R&&!U?r:i)+(+F||0)]},J=w=>w.cells[(U?r:i)+1+!!F];
// A click follows the link of the row, and in a grid also that of the column. If the row has several, the reader chooses one in the table.
const act=()=>{const w=row(),q=e=>e?.querySelector('a'),x=q(w?.cells[O[i]?.dataset.j||0]),y=G&&q(J(T.rows[0])),z=G?q(J(w)):!x&&q(w);
if(t.hidden||!(x||y||z))return;
if(!z&&x&&y&&!x.ariaCurrent==!y.ariaCurrent)return()=>{const P=a=>new URLSearchParams(a.search),u=P(x),v=P(y);for(const k of[...u.keys(),...P(location).keys(),...v.keys()])if(v.getAll(k)+''!=P(location).getAll(k)){u.delete(k);v.getAll(k).forEach(z=>u.append(k,z))}go(location.pathname+'?'+u,1)};
if(!G&&z&&w.querySelectorAll('a')[1])return()=>{T.closest('details').open=true;z.focus()};
const a=z||(x&&y?x.ariaCurrent?y:x:x||y);return()=>a.click()};
s.onpointerleave=e=>e.pointerType=='touch'||out();
s.onpointerdown=e=>{const k=t.hidden||[i,r]+'';move(e);on=e.pointerType!='touch'||k==[i,r]+''};
s.onclick=()=>{const a=act();if(a&&on)a()};
const show=e=>{const q=s.getBoundingClientRect(),k=c.getBoundingClientRect(),H=T.rows[0].cells;let z=P(i)*q.width,y=4;
if(O[i]){O.forEach((o,k)=>o.classList.toggle('on',k==i));t.textContent=N[i];const b=O[i].getBoundingClientRect(),g=O[i].cx?{x:b.right,y:b.top}:e||O[i].getPointAtLength(0).matrixTransform(O[i].getScreenCTM());z=g.x-q.left;y=g.y-q.top}
else{const C=row()?.cells;if(!C)return out();
if(G)t.textContent=C[0].textContent+' · '+J(T.rows[0]).textContent+'\n'+J(row()).textContent;
else t.replaceChildren(...[...C].flatMap((v,k)=>{if(!k)return v.textContent;const m=C[2]&&K[F?k-2:k-1]?.cloneNode();return['\n',m||'',(C[2]?H[k].textContent+'  ':'')+v.textContent]}));
if(!B)s.append(l);A('x1',P(i)*100+'%');A('x2',P(i)*100+'%')}
t.hidden=false;const w=t.offsetWidth;z+=q.left-k.left;t.style.left=Math.max(4,z+12+w>k.width?z-12-w:z+12)+'px';t.style.top=q.top-k.top+y+'px';s.style.cursor=act()?'pointer':''};
const move=s.onpointermove=e=>{const q=s.getBoundingClientRect(),x=e.clientX-q.left,y=e.clientY-q.top,D=k=>{if(!O[k])return Math.abs(P(k)*q.width-x);const b=V(O[k]);return b.width?Math.hypot(b.left+b.width/2-e.clientX,b.top+b.height/2-e.clientY):1/0};
let m=O.indexOf(e.target),u=0;if(m<0||O[m].cx){m=0;u=D(0);for(let k=1,v;k<n;k++)if((v=D(k))<u){u=v;m=k}}
if(O[0]&&u>32)return out();
i=m;r=R?Math.min(R-1,Math.max(0,Math.floor(y/q.height*R))):0;show(e)};
s.onkeydown=e=>{const J=Math.ceil(n/10),a={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1],Home:[-n,0],End:[n,0],PageUp:[-J,0],PageDown:[J,0]}[e.key];
if(e.key=='Enter'){const f=act();if(f)f()}
if(e.key=='Escape')out();if(!a||a[1]&&!R)return;
// Skip marks that are drawn for another width, from an end to the middle.
e.preventDefault();let k=Math.min(n-1,Math.max(0,i+a[0]));const u=a[0]**2<2?a[0]:k?k<n-1?Math.sign(a[0]):-1:1;while(u&&O[k]&&!V(O[k]).width)k+=u;if(k>=0&&k<n)i=k;if(i<0)return;r=Math.min(R-1,Math.max(0,r+a[1]));show();
// A screen reader reads the place at which the reader stops.
clearTimeout(later);later=setTimeout(()=>{if(!t.hidden)news.textContent=t.textContent},250)}})};

// A wall uses the largest zoom at which a screenful of its cards fits: all of them, or as many rows as fit a window of 1600 pixels. The others follow.
let turn=()=>0,fit=turn;
const hang=()=>{const g=one('.wall .grid'),b=d.body,C=[...all('.wall .grid>*')],w=innerWidth,H=r.clientHeight,set=z=>b.style.setProperty('--z',z);
const fits=z=>{set(z);return r.scrollHeight<=H+2};
const zoom=()=>{let a=w/2400,c=w/900;for(let k=0;k<9;k++){const z=(a+c)/2;if(fits(z))a=z;else c=z}set(a)};
C.forEach(c=>c.hidden=0);let S=[C],k=0;
// A screenful ends before a row of cards, or before a heading.
if(!fits(w/1600)){const T=C.map(c=>[c.offsetTop,c.offsetTop+c.offsetHeight]),most=H*1600/w-g.offsetTop;let from=0,low=0;S=[];
for(let i=0;i<C.length;i++){let j=i+1,e=T[i][1];while(j<C.length&&(T[j][0]<e-1||C[j-1].matches('.sec')))e=Math.max(e,T[j++][1]);
if(i>from&&(e-T[from][0]>most||C[i].matches('.sec')&&low-T[from][0]>most*.6)){S.push(C.slice(from,i));from=i}low=e;i=j-1}
S.push(C.slice(from))}
fit=()=>{C.forEach(c=>c.hidden=!S[k].includes(c));zoom()};
turn=()=>{const more=S.length>1;k=(k+1)%S.length;if(more)fit();return k};fit()};
const rounds=()=>{const Q=new URLSearchParams(location.search),N=Q.getAll('next').filter(s=>/^[a-z0-9-]{1,64}$/.test(s));
// The round continues with the next page that answers, and returns to this one after the others. A deleted page is requested again later.
const leave=i=>{if(i>=N.length)return;const P=new URLSearchParams([...Q].filter(([k])=>k!='next'&&k!='version'&&!/^p\d/.test(k)));[...N.slice(i+1),wall,...N.slice(0,i)].forEach(s=>P.append('next',s));
const u='/'+N[i]+'?'+P,x=new XMLHttpRequest;x.open('GET',u);x.timeout=2e4;x.onload=()=>x.status==200?location.replace(u):leave(i+1);x.onerror=x.ontimeout=()=>leave(i+1);x.send()};
setInterval(()=>{if(!d.hidden&&!turn())leave(0)},1e3*Math.min(86400,Math.max(10,Q.get('every')||30)));
onresize=hang;const awake=()=>d.hidden||navigator.wakeLock?.request('screen').catch(()=>0);awake();d.addEventListener('visibilitychange',awake)};

// Another page replaces this one in place: newer data, requested every 30 seconds while the page is visible, or the target of one of its links or forms.
const live=()=>{d.body.append(news);let tag='',was=one('main').cloneNode(true),at=location.search,busy;
const say=(c,t)=>{const F=one('.fresh');if(F){F.className=c;F.replaceChildren(...t)}},copy=F=>[...F?.childNodes||[]].map(n=>d.importNode(n,true));
let kept=[one('.fresh')?.className,copy(one('.fresh'))];
const keep=(x,F)=>{tag=x.getResponseHeader('ETag')||'';kept=[F.className,copy(F)];say(...kept)};
const stale=()=>{const i=d.createElement('i'),t=d.createElement('span');i.ariaHidden=true;i.textContent='▲';t.textContent=one('.fresh').dataset.stale;say('fresh bad',[i,t])};
const leave=u=>{if(u==location.href)location.reload();else location.href=u};
const get=(u,t,done,fail)=>{const x=busy=new XMLHttpRequest;x.open('GET',u);x.responseType='document';x.timeout=2e4;
if(t!=null)x.setRequestHeader('If-None-Match',t);else x.setRequestHeader('X-View',1);
x.onerror=x.ontimeout=()=>{busy=0;fail()};
x.onload=()=>{busy=0;const n=x.status==200&&x.response,M=n&&n.querySelector('main'),F=n&&n.querySelector('.fresh');
if(x.status!=304&&!(F&&M))fail();else if(M&&(n.head.textContent!=d.head.textContent||n.scripts[0].src!=d.scripts[0].src))leave(u);else done(x,M,F)};
x.send()};
// The same elements are open, scrolled and focused afterwards.
const place=e=>e.matches('main')?'main':place(e.parentNode)+'>:nth-child('+(1+[...e.parentNode.children].indexOf(e))+')';
const boxes=()=>[...all('.tw,.more')],tables=()=>[...all('.card')].map(c=>c.querySelector('details.src'));
const show=(x,M,F)=>{const o=tables().map(t=>t?.open),b=boxes().map(e=>[e.scrollLeft,e.scrollTop]),f=d.activeElement;
let p=f&&f.closest('main')?place(f):'',like=' '+f.localName+(f.className.baseVal??f.className).replace(/^\b| /g,'.');
was=d.importNode(M,true);put(one('main'),M);
tables().forEach((t,k)=>{if(t&&o[k])t.open=true});
const B=boxes();if(B.length==b.length)B.forEach((e,k)=>e.scrollTo(...b[k]));
bind();keep(x,F);
for(;p;p=p.replace(/(>|^)[^>]+$/,''))for(const e of[p,p+like,p+' :is(a,button,summary,select,input)'].flatMap(s=>[...all(s)]))if(d.activeElement==d.body)e.focus({preventScroll:true})};
const ask=()=>{if(!d.hidden&&!busy)get(location.href,tag,(x,M,F)=>{if(!M)say(...kept);else if(was.isEqualNode(M))keep(x,F);else if(!one('.ms[open],form :focus'))show(x,M,F)},stale)};
go=(u,push)=>{if(busy)busy.abort();one('main').ariaBusy=true;
get(u,null,(x,M,F)=>{if(push)history.pushState(0,'',u);at=location.search;show(x,M,F);const s=one('.fsum');news.textContent=s?s.textContent:''},()=>leave(u))};
setInterval(ask,3e4);d.addEventListener('visibilitychange',ask);
addEventListener('popstate',()=>location.search!=at&&go(location.href));
d.addEventListener('click',e=>{const a=e.target.closest('main a[href^="?"]');if(a&&!a.hasAttribute('download')&&!(e.button||e.metaKey||e.ctrlKey||e.shiftKey||e.altKey)){e.preventDefault();go(a.href,1)}});
d.addEventListener('submit',e=>{const f=e.target;if(f.closest('main')){e.preventDefault();go(location.pathname+'?'+new URLSearchParams(new FormData(f,e.submitter)),1)}})};
addEventListener('DOMContentLoaded',()=>{
const b=d.getElementById(K);
if(b)b.onclick=()=>{D.theme=D.theme=='dark'||D.theme=='auto'&&matchMedia('(prefers-color-scheme:dark)').matches?'light':'dark';try{localStorage[K]=D.theme}catch{}};
d.onclick=e=>{shut(e.target);const m=e.target.closest('[data-i]:not(.plot *)');if(m)m.closest('.card').querySelector('.src table').rows[m.dataset.i].querySelector('a').click()};
d.onkeydown=e=>{const m=one('.ms[open]');if(e.key=='Escape'&&m){shut();if(m.contains(e.target))m.firstChild.focus()}};
live();bind();if(wall)rounds()})})()

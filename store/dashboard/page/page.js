(()=>{const d=document,r=d.documentElement,K='theme',D=r.dataset,all=s=>d.querySelectorAll(s),one=s=>d.querySelector(s),shut=x=>all('.ms[open]').forEach(m=>m.contains(x)||(m.open=false));
try{D.theme=localStorage[K]||D.theme}catch{}
r.classList.add('js');
const bind=()=>{
const f=one('form.filters');
if(f){f.addEventListener('formdata',e=>all('.cust').forEach(c=>c.offsetParent||c.childNodes.forEach(i=>e.formData.delete(i.name))));f.onchange=e=>{const x=e.target;if(x.tagName=='SELECT'?x.value!='custom':x.type=='date'&&x.value)f.requestSubmit()}}
all('.plot').forEach(s=>{const c=s.closest('.card'),T=c.querySelector('.src table'),O=[...s.querySelectorAll('.dot')],n=O.length||+s.dataset.n,R=+s.dataset.r,B=R||'b'in s.dataset,p=s.dataset.p?.split(' '),K=c.querySelectorAll('.lg i');
if(!T||!n)return;
const X=o=>o.cx.baseVal.value;O.sort((a,b)=>X(a)-X(b));
const N=O.map(o=>{const e=o.firstChild,x=e.textContent;e.remove();return x}),t=d.createElement('div'),l=d.createElementNS('http://www.w3.org/2000/svg','line'),A=(k,v)=>l.setAttribute(k,v),P=k=>p?p[k]/1e3:B?(k+.5)/n:n>1?k/(n-1):.5;
let i=-1,r=0;
t.className='tip';t.hidden=true;t.ariaHidden=true;c.append(t);A('class','hair');A('y2','100%');s.tabIndex=0;
const out=s.onpointerleave=s.onblur=()=>{t.hidden=true;l.remove();O[i]?.classList.remove('on')};
const show=()=>{const q=s.getBoundingClientRect(),k=c.getBoundingClientRect(),H=T.rows[0].cells;let z=P(i)*q.width,y=4;
if(O[i]){O.forEach((o,k)=>o.classList.toggle('on',k==i));t.textContent=N[i];const b=O[i].getBoundingClientRect();z=b.right-q.left;y=b.top-q.top}
else{const C=T.rows[1+(R?r:i)]?.cells;if(!C)return out();
if(R)t.textContent=C[0].textContent+' · '+H[i+1].textContent+'\n'+C[i+1].textContent;
else t.replaceChildren(...[...C].flatMap((v,k)=>{if(!k)return v.textContent;const m=C[2]&&K[k-1]?.cloneNode();return['\n',m||'',(C[2]?H[k].textContent+'  ':'')+v.textContent]}));
if(!B)s.append(l);A('x1',P(i)*100+'%');A('x2',P(i)*100+'%')}
t.hidden=false;const w=t.offsetWidth;z+=q.left-k.left;t.style.left=Math.max(4,z+12+w>k.width?z-12-w:z+12)+'px';t.style.top=q.top-k.top+y+'px'};
s.onpointermove=e=>{const q=s.getBoundingClientRect(),x=e.clientX-q.left,y=e.clientY-q.top,D=k=>{if(!O[k])return Math.abs(P(k)*q.width-x);const b=O[k].getBoundingClientRect();return Math.hypot(b.left+b.width/2-e.clientX,b.top+b.height/2-e.clientY)};
let m=0,u=D(0);for(let k=1,v;k<n;k++)if((v=D(k))<u){u=v;m=k}
if(O[0]&&u>32)return out();
i=m;r=R?Math.min(R-1,Math.max(0,Math.floor(y/q.height*R))):0;show()};
s.onkeydown=e=>{const a={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]}[e.key];
if(!a||a[1]&&!R)return e.key=='Escape'&&out();
e.preventDefault();i=Math.min(n-1,Math.max(0,i+a[0]));r=Math.min(R-1,Math.max(0,r+a[1]));show()}})};

// While it is in sight, the page asks whether there are newer data, and shows them in its place.
const watch=()=>{let tag='',was=one('main').cloneNode(true);
const say=(c,t)=>{const F=one('.fresh');if(F){F.className=c;F.replaceChildren(...t)}},same=()=>[...one('.fresh')?.childNodes||[]].map(n=>n.cloneNode(true));
let kept=[one('.fresh')?.className,same()];
const stale=()=>{const i=d.createElement('i'),t=d.createElement('span');i.ariaHidden=true;i.textContent='▲';t.textContent=one('.fresh').dataset.stale;say('fresh bad',[i,t])};
const ask=()=>{if(d.hidden)return;
const x=new XMLHttpRequest;x.open('GET',location.href);x.responseType='document';x.timeout=2e4;
if(tag)x.setRequestHeader('If-None-Match',tag);
x.onerror=x.ontimeout=stale;
x.onload=()=>{if(x.status==304)return say(...kept);
const n=x.status==200&&x.response,F=n&&n.querySelector('.fresh'),M=n&&n.querySelector('main');
if(!F||!M)return stale();
const S=e=>e.head.textContent+e.querySelector('script').getAttribute('src');
if(S(n)!=S(d))return location.reload();
if(!was.isEqualNode(M)){if(one('.ms[open],.filters :focus'))return;
const open=[...all('.src')].map(e=>e.open);
was=d.importNode(M,true);one('main').replaceWith(d.adoptNode(M));
all('.src').forEach((e,k)=>e.open=!!open[k]);bind()}
tag=x.getResponseHeader('ETag')||'';kept=[F.className,[...F.childNodes].map(e=>d.importNode(e,true))];say(...kept)};
x.send()};
setInterval(ask,3e4);d.addEventListener('visibilitychange',ask)};
addEventListener('DOMContentLoaded',()=>{
const b=d.getElementById(K);
b.onclick=()=>{D.theme=D.theme=='dark'||D.theme=='auto'&&matchMedia('(prefers-color-scheme:dark)').matches?'light':'dark';try{localStorage[K]=D.theme}catch{}};
d.onclick=e=>shut(e.target);
d.onkeydown=e=>{if(e.key=='Escape')shut()};
watch();bind()})})()
